// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tarl::serve {

struct ServerOptions {
  std::uint16_t port = 8080;  // 0: any free one
  std::size_t connections = 64;
  std::size_t listeners = 16;                      // of these, on /events
  std::chrono::milliseconds request_time{5000};    // for a request to arrive
  std::chrono::milliseconds stalled_time{15000};   // for a slow reader to read something
  std::chrono::milliseconds drain_time{1000};      // for a browser to hang up after the response
  std::chrono::milliseconds making_time{600'000};  // for a page being generated
};

// What is known about a requested path.
enum class PageState {
  kAsShown,  // the last content given to show(), if any
  kLater,    // being generated: the request waits for show() or hide()
  kBusy,     // too many pages are being generated
};

// Serves pages from memory to browsers on this machine (127.0.0.1) only. It reads no files and
// knows only the paths it was given; one thread, bounded memory, no request ever waits for another.
// When all connections are taken, the request that is slowest to arrive is dropped.
class Server {
 public:
  // Throws Error if the port is not available.
  explicit Server(const ServerOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const { return port_; }

  // Sets the content of a path and answers the requests waiting for it.
  void show(const std::string& path, std::string type, std::string body);

  // Removes the path.
  void hide(const std::string& path);

  // Asked at every request, before the path is looked up; may call show().
  void on_request(std::function<PageState(const std::string& path)> ask) { ask_ = std::move(ask); }

  // Sends a server-sent event to every browser listening on /events.
  void announce(const std::string& event, const std::string& data);

  // Serves requests for that long. Returns early when `wake` (a descriptor, or -1) becomes
  // readable.
  void serve(std::chrono::milliseconds time, int wake);

  std::size_t open_connections() const { return connections_.size(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Page;
  struct Connection;

  void accept_all();
  void receive(Connection& connection);
  void answer(Connection& connection);
  void give(Connection& connection, const std::shared_ptr<const Page>& page);
  void refuse(Connection& connection, int status);
  void listen_to_events(Connection& connection);
  void send_more(Connection& connection);
  void make_room();
  void close_expired();
  void heartbeat();

  ServerOptions options_;
  int listening_ = -1;
  std::uint16_t port_ = 0;
  std::function<PageState(const std::string&)> ask_;
  std::map<std::string, std::shared_ptr<const Page>> pages_;
  std::vector<std::unique_ptr<Connection>> connections_;
  Clock::time_point last_beat_;
};

}  // namespace tarl::serve
