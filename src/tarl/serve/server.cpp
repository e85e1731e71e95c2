// SPDX-License-Identifier: MIT
#include "tarl/serve/server.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tarl/core/error.h"
#include "tarl/serve/http.h"

namespace tarl::serve {

struct Server::Page {
  std::string type;
  std::string body;
};

enum class ConnectionPhase { kRequest, kWaiting, kResponse, kEvents, kDraining, kOver };

namespace {

constexpr std::chrono::seconds kBeat{15};
constexpr std::size_t kMaxUnsentEvents = 16'384;  // bytes; a listener that far behind is dropped
constexpr const char* kText = "text/plain; charset=utf-8";

int open_listener(std::uint16_t port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  if (descriptor >= 0 && ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      ::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(descriptor, 128) == 0) {
    return descriptor;
  }
  const std::string why = std::strerror(errno);
  if (descriptor >= 0) ::close(descriptor);
  throw Error("cannot listen on port " + std::to_string(port) + ": " + why +
              "; choose another with --port");
}

std::uint16_t port_of(int descriptor) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

}  // namespace

struct Server::Connection {
  explicit Connection(int socket) : descriptor(socket) {}

  ~Connection() { ::close(descriptor); }

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool sending() const { return sent < head.size() + (page ? page->body.size() : 0); }

  int descriptor;
  ConnectionPhase phase = ConnectionPhase::kRequest;
  Clock::time_point since = Clock::now();  // accepted, or last progress
  std::string received;
  HttpRequest request;               // complete once received
  std::string head;                  // what is sent first, or the events not yet sent
  std::shared_ptr<const Page> page;  // then its body, shared by all connections
  std::size_t sent = 0;
};

Server::Server(const ServerOptions& options)
    : options_(options),
      listening_(open_listener(options.port)),
      port_(port_of(listening_)),
      last_beat_(Clock::now()) {}

Server::~Server() {
  ::close(listening_);
}

void Server::show(const std::string& path, std::string type, std::string body) {
  const auto page = std::make_shared<const Page>(Page{std::move(type), std::move(body)});
  pages_[path] = page;
  for (const auto& one : connections_) {
    if (one->phase == ConnectionPhase::kWaiting && one->request.path == path) give(*one, page);
  }
}

void Server::hide(const std::string& path) {
  pages_.erase(path);
  for (const auto& one : connections_) {
    if (one->phase == ConnectionPhase::kWaiting && one->request.path == path) refuse(*one, 404);
  }
}

void Server::announce(const std::string& event, const std::string& data) {
  const std::string text = "event: " + event + "\ndata: " + data + "\n\n";
  for (const auto& one : connections_) {
    if (one->phase == ConnectionPhase::kEvents) one->head += text;
  }
}

void Server::heartbeat() {
  if (Clock::now() - last_beat_ < kBeat) return;
  last_beat_ = Clock::now();
  for (const auto& one : connections_) {
    if (one->phase == ConnectionPhase::kEvents) one->head += ": still here\n\n";
  }
}

void Server::make_room() {
  if (connections_.size() < options_.connections) return;
  const auto slowest =
      std::min_element(connections_.begin(), connections_.end(), [](const auto& a, const auto& b) {
        // Requests that are still arriving go first, the oldest before the others.
        return std::pair(a->phase, a->since) < std::pair(b->phase, b->since);
      });
  connections_.erase(slowest);
}

void Server::accept_all() {
  for (std::size_t i = 0; i < options_.connections; ++i) {
    const int socket = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) return;  // no connection or no descriptor left: others wait in the queue
    make_room();
    connections_.push_back(std::make_unique<Connection>(socket));
  }
}

void Server::receive(Connection& one) {
  char buffer[4096];
  const ssize_t n = ::recv(one.descriptor, buffer, sizeof buffer, 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    one.phase = ConnectionPhase::kOver;
    return;
  }
  if (one.phase != ConnectionPhase::kRequest) return;  // after the request nothing more is read
  one.received.append(buffer, static_cast<std::size_t>(n));
  answer(one);
}

void Server::refuse(Connection& one, int status) {
  std::string body = std::to_string(status);
  if (status == 404) body += ": there is nothing at this address; the runs are at /";
  body += "\n";
  one.head = response_head(status, kText, static_cast<std::int64_t>(body.size())) + body;
  one.phase = ConnectionPhase::kResponse;
}

void Server::listen_to_events(Connection& one) {
  const auto listening = std::count_if(connections_.begin(), connections_.end(), [](const auto& c) {
    return c->phase == ConnectionPhase::kEvents;
  });
  if (static_cast<std::size_t>(listening) >= options_.listeners) {
    refuse(one, 503);
    return;
  }
  one.head = response_head(200, "text/event-stream", -1) + "retry: 3000\n\n";
  one.phase = ConnectionPhase::kEvents;
}

void Server::answer(Connection& one) {
  const ParsedRequest parsed = parse_request(one.received, port_);
  if (parsed.state == ParsedRequest::State::kIncomplete) return;
  one.since = Clock::now();
  one.received = {};
  if (parsed.state == ParsedRequest::State::kRefused) {
    refuse(one, parsed.status);
    return;
  }
  one.request = parsed.request;
  if (one.request.path == "/events" && !one.request.head) {
    listen_to_events(one);
    return;
  }
  const PageState state = ask_ ? ask_(one.request.path) : PageState::kAsShown;
  if (state == PageState::kLater) {
    one.phase = ConnectionPhase::kWaiting;
    return;
  }
  const auto page = pages_.find(one.request.path);
  if (state == PageState::kBusy) {
    refuse(one, 503);
  } else if (page == pages_.end()) {
    refuse(one, 404);
  } else {
    give(one, page->second);
  }
}

void Server::give(Connection& one, const std::shared_ptr<const Page>& page) {
  one.head = response_head(200, page->type, static_cast<std::int64_t>(page->body.size()));
  if (!one.request.head) one.page = page;
  one.since = Clock::now();
  one.phase = ConnectionPhase::kResponse;
}

void Server::send_more(Connection& one) {
  while (one.sending()) {
    const bool in_head = !one.page || one.sent < one.head.size();
    const std::string& part = in_head ? one.head : one.page->body;
    const std::size_t at = in_head ? one.sent : one.sent - one.head.size();
    const ssize_t n = ::send(one.descriptor, part.data() + at, part.size() - at, MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
      one.phase = ConnectionPhase::kOver;
      return;
    }
    one.sent += static_cast<std::size_t>(n);
    one.since = Clock::now();
  }
  if (one.phase == ConnectionPhase::kEvents) {
    one.head.clear();
    one.sent = 0;
  } else if (one.phase == ConnectionPhase::kResponse) {
    // Closing while bytes still arrive would reset the connection and discard the response.
    ::shutdown(one.descriptor, SHUT_WR);
    one.phase = ConnectionPhase::kDraining;
  }
}

void Server::close_expired() {
  const Clock::time_point now = Clock::now();
  std::erase_if(connections_, [&](const auto& one) {
    if (one->phase == ConnectionPhase::kOver) return true;
    if (one->phase == ConnectionPhase::kRequest) return now - one->since > options_.request_time;
    if (one->phase == ConnectionPhase::kWaiting) return now - one->since > options_.making_time;
    if (one->phase == ConnectionPhase::kDraining) return now - one->since > options_.drain_time;
    if (one->head.size() - std::min(one->sent, one->head.size()) > kMaxUnsentEvents) return true;
    return one->sending() && now - one->since > options_.stalled_time;
  });
}

void Server::serve(std::chrono::milliseconds time, int wake) {
  const Clock::time_point end = Clock::now() + time;
  for (auto now = Clock::now(); now < end; now = Clock::now()) {
    heartbeat();
    std::vector<pollfd> watched = {{listening_, POLLIN, 0}, {wake, POLLIN, 0}};
    for (const auto& one : connections_) {
      const bool writes = one->phase != ConnectionPhase::kRequest && one->sending();
      watched.push_back(
          {one->descriptor, static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0});
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - now);
    const int longest = static_cast<int>(std::min<std::int64_t>(left.count() + 1, 500));
    if (::poll(watched.data(), watched.size(), longest) < 0 && errno != EINTR) {
      throw Error(std::string("cannot wait for browsers: ") + std::strerror(errno));
    }
    for (std::size_t i = 2; i < watched.size(); ++i) {
      Connection& one = *connections_[i - 2];
      if ((watched[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0) receive(one);
      if (one.phase == ConnectionPhase::kResponse || one.phase == ConnectionPhase::kEvents)
        send_more(one);
    }
    close_expired();
    if (watched[0].revents != 0) accept_all();
    if (watched[1].revents != 0) return;
  }
}

}  // namespace tarl::serve
