// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tarl::serve {

// The subset of HTTP/1.1 needed to show pages on one's own machine: GET and HEAD without a body,
// one request per connection. Everything else is refused.

inline constexpr std::size_t kMaxRequestLine = 2048;  // bytes
inline constexpr std::size_t kMaxHead = 8192;         // bytes, request line included

struct HttpRequest {
  bool head = false;  // HEAD: headers only
  std::string path;   // "/report.html"
};

struct ParsedRequest {
  enum class State { kIncomplete, kGood, kRefused };
  State state = State::kIncomplete;
  HttpRequest request;  // if valid
  int status = 0;       // if refused: 400, 405, 413, 414, 421, 431, 505
};

// Parses the head of a request from the bytes received so far. A valid one names this machine and
// `port` in its only Host header (anything else looks like DNS rebinding) and has no body.
ParsedRequest parse_request(std::string_view bytes, std::uint16_t port);

// Whether a Host header names this machine: localhost, 127.0.0.1 or [::1], and the port if any.
bool is_own_host(std::string_view host, std::uint16_t port);

// Status line and headers. A negative length means a stream that ends with the connection.
std::string response_head(int status, std::string_view type, std::int64_t length);

}  // namespace tarl::serve
