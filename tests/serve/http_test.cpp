// SPDX-License-Identifier: MIT
#include "tarl/serve/http.h"

#include <gtest/gtest.h>

#include "tarl/core/rng.h"

namespace tarl::serve {
namespace {

using State = ParsedRequest::State;

constexpr std::uint16_t kPort = 8080;

ParsedRequest parse(const std::string& text) {
  return parse_request(text, kPort);
}

std::string get(const std::string& path, const std::string& host = "localhost:8080") {
  return "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
}

int status_of(const std::string& text) {
  const ParsedRequest parsed = parse(text);
  return parsed.state == State::kGood ? 200 : parsed.status;
}

TEST(ParseRequest, TakesGetAndHead) {
  const ParsedRequest got = parse(get("/report.html"));
  EXPECT_EQ(got.state, State::kGood);
  EXPECT_EQ(got.request.path, "/report.html");
  EXPECT_FALSE(got.request.head);
  EXPECT_TRUE(parse("HEAD / HTTP/1.0\r\nhost: 127.0.0.1\r\nAccept: */*\r\n\r\n").request.head);
}

TEST(ParseRequest, WaitsForTheWholeHead) {
  const std::string whole = get("/");
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(parse(whole.substr(0, i)).state, State::kIncomplete) << i;
  }
}

TEST(ParseRequest, RefusesOtherHosts) {
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1:8081", "127.0.0.2",
                           "localhost:", "localhost:8080x", "", "127.0.0.1:8080@evil", "[::1"}) {
    EXPECT_EQ(status_of(get("/", host)), 421) << host;
  }
  for (const char* host : {"localhost", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080"}) {
    EXPECT_EQ(status_of(get("/", host)), 200) << host;
  }
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"), 400);
}

TEST(ParseRequest, RefusesBodies) {
  const auto with = [](const std::string& header) {
    return "GET / HTTP/1.1\r\nHost: localhost\r\n" + header + "\r\n\r\n";
  };
  EXPECT_EQ(status_of(with("Content-Length: 5")), 413);
  EXPECT_EQ(status_of(with("Content-Length: -2")), 413);
  EXPECT_EQ(status_of(with("Transfer-Encoding: chunked")), 413);
  EXPECT_EQ(status_of(with("Content-Length: 0")), 200);
}

TEST(ParseRequest, RefusesWhatIsNotHttp) {
  const std::string host = "Host: localhost\r\n\r\n";
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\n" + host), 405);
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\n" + host), 505);
  EXPECT_EQ(status_of("GET /\r\n" + host), 400);
  EXPECT_EQ(status_of("\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET  / HTTP/1.1\r\n" + host), 400);
  EXPECT_EQ(status_of("GET http://localhost/ HTTP/1.1\r\n" + host), 400);
  EXPECT_EQ(status_of("G\x01T / HTTP/1.1\r\n" + host), 400);
  EXPECT_EQ(status_of("GET /\xff HTTP/1.1\r\n" + host), 400);
  EXPECT_EQ(status_of(std::string("GET /a\0b HTTP/1.1\r\n", 19) + host), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n folded\r\n" + host), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nA b: c\r\n" + host), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\nHost: localhost\n\n\r\n\r\n"), 400);
}

TEST(ParseRequest, BoundsWhatItReads) {
  EXPECT_EQ(status_of("GET /" + std::string(kMaxRequestLine, 'a')), 414);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nX: " + std::string(kMaxHead, 'a')), 431);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nX: " + std::string(kMaxHead, 'a') + "\r\n\r\n"), 431);
}

TEST(ParseRequest, NeverTakesNoiseForARequest) {
  Rng rng = seeded(11);
  const std::string good = get("/");
  for (int i = 0; i < 20'000; ++i) {
    std::string text = good;
    for (int change = 0; change < 3; ++change) {
      const auto at = rng.below(static_cast<std::uint32_t>(text.size()));
      text[at] = static_cast<char>(rng.below(256));
    }
    const ParsedRequest parsed = parse(text);
    EXPECT_TRUE(parsed.state != State::kGood || parsed.request.path.starts_with('/'));
  }
}

TEST(ResponseHead, IsWholeAndLetsNothingElseIn) {
  const std::string head = response_head(405, "text/plain", 4);
  EXPECT_EQ(head.find("HTTP/1.1 405 Method Not Allowed\r\n"), 0u);
  EXPECT_NE(head.find("Content-Length: 4\r\n"), std::string::npos);
  EXPECT_NE(head.find("default-src 'none'"), std::string::npos);
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
  EXPECT_EQ(response_head(200, "text/event-stream", -1).find("Content-Length"), std::string::npos);
}

}  // namespace
}  // namespace tarl::serve
