// SPDX-License-Identifier: MIT
#include "tarl/serve/http.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace tarl::serve {

namespace {

using State = ParsedRequest::State;

ParsedRequest refused(int status) {
  return {State::kRefused, {}, status};
}

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           kMarks.find(c) != std::string_view::npos;
  });
}

// Visible ASCII, spaces and tabs.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '\t' || (c >= 32 && c < 127); });
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// The next line without its CRLF; nothing if there is none.
std::optional<std::string_view> next_line(std::string_view& rest) {
  const std::size_t end = rest.find("\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 2);
  return line;
}

// 0, or the status code of the refusal.
int read_request_line(std::string_view line, HttpRequest& request) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return 400;
  const std::string_view method = line.substr(0, first), version = line.substr(last + 1);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (!is_token(method) || !is_plain(target) || target.find(' ') != std::string_view::npos)
    return 400;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return version.starts_with("HTTP/") ? 505 : 400;
  }
  if (method != "GET" && method != "HEAD") return 405;
  if (!target.starts_with('/')) return 400;
  request.head = method == "HEAD";
  request.path = target;
  return 0;
}

struct SeenHeaders {
  int hosts = 0;
  bool own_host = false;
};

int read_header(std::string_view line, std::uint16_t port, SeenHeaders& seen) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return 400;
  const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
  if (!is_plain(value)) return 400;
  if (equal_ignoring_case(name, "host")) {
    ++seen.hosts;
    seen.own_host = is_own_host(value, port);
  }
  if (equal_ignoring_case(name, "transfer-encoding")) return 413;
  if (equal_ignoring_case(name, "content-length") && value != "0") return 413;
  return 0;
}

const char* reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Error";
  }
}

}  // namespace

bool is_own_host(std::string_view host, std::uint16_t port) {
  for (const std::string_view own : {"localhost", "127.0.0.1", "[::1]"}) {
    if (host.size() < own.size() || !equal_ignoring_case(host.substr(0, own.size()), own)) continue;
    const std::string_view rest = host.substr(own.size());
    if (rest.empty() || rest == ":" + std::to_string(port)) return true;
  }
  return false;
}

ParsedRequest parse_request(std::string_view bytes, std::uint16_t port) {
  const std::size_t end = bytes.find("\r\n\r\n");
  const bool whole = end != std::string_view::npos && end + 4 <= kMaxHead;
  const std::size_t line_end = bytes.find("\r\n");
  if (std::min(line_end, bytes.size()) > kMaxRequestLine) return refused(414);
  if (!whole) return bytes.size() >= kMaxHead ? refused(431) : ParsedRequest{};
  std::string_view rest = bytes.substr(0, end + 2);
  ParsedRequest parsed{State::kGood, {}, 0};
  if (const int status = read_request_line(*next_line(rest), parsed.request))
    return refused(status);
  SeenHeaders seen;
  while (const auto line = next_line(rest)) {
    if (const int status = read_header(*line, port, seen)) return refused(status);
  }
  if (seen.hosts != 1) return refused(400);
  return seen.own_host ? parsed : refused(421);
}

std::string response_head(int status, std::string_view type, std::int64_t length) {
  std::string head = "HTTP/1.1 " + std::to_string(status) + " " + reason(status) + "\r\n";
  head += "Content-Type: " + std::string(type) + "\r\n";
  if (length >= 0) head += "Content-Length: " + std::to_string(length) + "\r\n";
  if (status == 405) head += "Allow: GET, HEAD\r\n";
  return head +
         "Connection: close\r\n"
         "Cache-Control: no-store\r\n"
         "X-Content-Type-Options: nosniff\r\n"
         "Referrer-Policy: no-referrer\r\n"
         "Cross-Origin-Resource-Policy: same-origin\r\n"
         // The page is one file: styles, scripts and pictures are inline, and nothing else may be
         // loaded.
         "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; "
         "script-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; "
         "form-action 'none'; frame-ancestors 'none'\r\n"
         "\r\n";
}

}  // namespace tarl::serve
