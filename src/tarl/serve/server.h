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
  std::size_t listeners = 16;                      // of those, on /events
  std::chrono::milliseconds request_time{5000};    // for a request to arrive
  std::chrono::milliseconds stalled_time{15000};   // for a slow reader to take something
  std::chrono::milliseconds drain_time{1000};      // for a browser to hang up after the answer
  std::chrono::milliseconds making_time{600'000};  // for a page that is being made
};

// What is known of a path that somebody asks for.
enum class PageState {
  kAsShown,  // what show() was told last; nothing if it was told nothing
  kLater,    // being made: the request waits for show() or hide()
  kBusy,     // too much is being made already
};

// Shows pages that are in memory to browsers on this machine (127.0.0.1) and nobody else. It reads
// no file and knows no path but those it was given; one thread, bounded memory, no request ever
// waits for another. When all places are taken, the slowest request to arrive makes room.
class Server {
 public:
  // Throws Error if the port cannot be had.
  explicit Server(const ServerOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const { return port_; }

  // What a path shows from now on; whoever waits for it gets it.
  void show(const std::string& path, std::string type, std::string body);

  // The path is none any more.
  void hide(const std::string& path);

  // Asked at every request, before the path is looked up; may call show().
  void on_request(std::function<PageState(const std::string& path)> ask) { ask_ = std::move(ask); }

  // Tells every browser that listens on /events, as a server-sent event.
  void announce(const std::string& event, const std::string& data);

  // Serves whoever comes for that long. Ends early when `wake` (a descriptor, or -1) can be read.
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
