// SPDX-License-Identifier: MIT
#include "tarl/serve/server.h"

#include <atomic>
#include <functional>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tarl/core/error.h"
#include "tarl/core/files.h"
#include "tarl/core/rng.h"

namespace tarl::serve {
namespace {

using namespace std::chrono_literals;

class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }

  ~Client() { ::close(socket_); }

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return connected_; }

  void send(const std::string& text) const {
    [[maybe_unused]] const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
  }

  // Until the text is there, or the other side closes.
  std::string receive(const std::string& until = "") const {
    std::string all;
    char buffer[65536];
    for (;;) {
      const ssize_t n = ::recv(socket_, buffer, sizeof buffer, 0);
      if (n <= 0) return all;
      all.append(buffer, static_cast<std::size_t>(n));
      if (!until.empty() && all.find(until) != std::string::npos) return all;
    }
  }

 private:
  int socket_;
  bool connected_ = false;
};

// A server in its own thread. Its timeouts are long, so that no test is in a hurry.
struct ServerTest : ::testing::Test {
  explicit ServerTest(std::chrono::milliseconds request_time = 24h) {
    ServerOptions options;
    options.port = 0;
    options.connections = 32;
    options.listeners = 4;
    options.request_time = request_time;
    options.stalled_time = options.drain_time = 24h;
    server = std::make_unique<Server>(options);
    server->show("/", "text/html", "the page");
    server->show("/big", "text/html", std::string(3u << 20, 'x'));
    port = server->port();
    thread = std::thread([this] {
      while (!over) {
        server->serve(20ms, -1);
        open_connections = server->open_connections();
        if (announce.exchange(false)) server->announce("report", "new");
      }
    });
  }

  ~ServerTest() override {
    over = true;
    thread.join();
  }

  std::string ask(const std::string& request) const {
    const Client client(port);
    client.send(request);
    return client.receive();
  }

  std::string get(const std::string& path, const std::string& host = "localhost") const {
    return ask("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  }

  std::unique_ptr<Server> server;
  std::uint16_t port = 0;
  std::atomic<bool> over{false}, announce{false};
  std::atomic<std::size_t> open_connections{0};  // a moment ago
  std::thread thread;
};

// Zero under the address sanitizer, which keeps what was freed.
std::size_t resident_kilobytes() {
#ifdef __SANITIZE_ADDRESS__
  return 0;
#endif
  const std::string text = read_text("/proc/self/statm");
  return std::stoul(text.substr(text.find(' '))) * 4;
}

TEST_F(ServerTest, ShowsItsPagesAndNothingElse) {
  const std::string page = get("/");
  EXPECT_EQ(page.find("HTTP/1.1 200 OK"), 0u);
  EXPECT_TRUE(page.ends_with("\r\n\r\nthe page"));
  const std::string head = ask("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_NE(head.find("Content-Length: 8\r\n"), std::string::npos);
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
  EXPECT_EQ(get("/big").size() - get("/big").find("\r\n\r\n"), (3u << 20) + 4);
}

TEST_F(ServerTest, HasNoWayOutOfItsPages) {
  for (const char* path :
       {"/../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
        "/./", "/?", "/?x=1", "/#", "/index.html", "/report.html/", "/..\\..\\", "/etc/passwd",
        "/....//....//etc/passwd", "/%00", "/%c0%ae%c0%ae/", "/proc/self/environ", "*"}) {
    const std::string answer = get(path);
    const std::string status = answer.substr(9, 3);
    EXPECT_TRUE(status == "404" || status == "400") << path << " " << answer;
    EXPECT_EQ(answer.find("root:"), std::string::npos);
  }
}

TEST_F(ServerTest, RefusesOtherHosts) {
  EXPECT_EQ(get("/", "evil.example").find("HTTP/1.1 421"), 0u);
  EXPECT_EQ(get("/", "127.0.0.1:" + std::to_string(port)).find("HTTP/1.1 200"), 0u);
}

TEST_F(ServerTest, ListensOnLoopbackAlone) {
  // /proc/net/tcp: local address in hexadecimal, network order; state 0A is listening.
  char wanted[32];
  std::snprintf(wanted, sizeof wanted, "0100007F:%04X 00000000:0000 0A", port);
  EXPECT_NE(read_text("/proc/net/tcp").find(wanted), std::string::npos);
  char any[32];
  std::snprintf(any, sizeof any, "00000000:%04X", port);
  EXPECT_EQ(read_text("/proc/net/tcp").find(any), std::string::npos);
}

TEST_F(ServerTest, TellsListenersOfEvents) {
  const Client client(port);
  client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_NE(client.receive("retry").find("text/event-stream"), std::string::npos);
  announce = true;
  EXPECT_NE(client.receive("data: new\n\n").find("event: report\n"), std::string::npos);
}

// A server in this very thread, stepped until a client has its answer.
std::string answer_of(Server& server, const Client& client, const std::function<void()>& step) {
  std::string answer;
  std::atomic<bool> answered{false};
  std::thread receiver([&] {
    answer = client.receive();
    answered = true;
  });
  while (!answered) {
    server.serve(1ms, -1);
    step();
  }
  receiver.join();
  return answer;
}

struct MakingServerTest : ::testing::Test {
  MakingServerTest() {
    ServerOptions options;
    options.port = 0;
    server = std::make_unique<Server>(options);
    server->on_request([this](const std::string& path) {
      ++asked;
      return path == "/later"  ? PageState::kLater
             : path == "/busy" ? PageState::kBusy
                               : PageState::kAsShown;
    });
  }

  std::string get(
      const std::string& path, const std::function<void()>& step = [] {}) {
    const Client client(server->port());
    client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return answer_of(*server, client, step);
  }

  std::unique_ptr<Server> server;
  int asked = 0;
};

TEST_F(MakingServerTest, AnswersWhoeverWaitsOnceAPageIsMade) {
  const auto make = [this] {
    if (asked > 0) server->show("/later", "text/html", "made");
  };
  EXPECT_TRUE(get("/later", make).ends_with("\r\n\r\nmade"));
  EXPECT_EQ(asked, 1);
}

TEST_F(MakingServerTest, RefusesWhoeverWaitsForAPageThatIsNone) {
  const auto drop = [this] {
    if (asked > 0) server->hide("/later");
  };
  EXPECT_NE(get("/later", drop).find(" 404 "), std::string::npos);
  EXPECT_NE(get("/busy").find(" 503 "), std::string::npos);
  EXPECT_NE(get("/none").find(" 404 "), std::string::npos);
}

TEST_F(ServerTest, BoundsItsListeners) {
  std::vector<std::unique_ptr<Client>> listeners;
  int refused = 0;
  for (int i = 0; i < 6; ++i) {
    listeners.push_back(std::make_unique<Client>(port));
    listeners.back()->send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    if (listeners.back()->receive("\r\n").find(" 503 ") != std::string::npos) ++refused;
  }
  EXPECT_EQ(refused, 2);
}

TEST_F(ServerTest, AnswersWhileHundredsDawdle) {
  const std::size_t before = resident_kilobytes();
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 500; ++i) {
    slow.push_back(std::make_unique<Client>(port));
    slow.back()->send("GET / HTTP/1.1\r\nX-Slow: ");
    EXPECT_TRUE(i % 50 != 0 || get("/").starts_with("HTTP/1.1 200")) << i;
  }
  EXPECT_EQ(get("/").find("HTTP/1.1 200"), 0u);
  EXPECT_LT(resident_kilobytes(), before + 32 * 1024);
}

struct HastyServerTest : ServerTest {
  HastyServerTest() : ServerTest(1ms) {}
};

TEST_F(HastyServerTest, ClosesRequestsThatNeverArrive) {
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 20; ++i) {
    slow.push_back(std::make_unique<Client>(port));
    slow.back()->send("GET / HTTP/1.1\r\nX-Slow: ");
  }
  for (const auto& client : slow) EXPECT_EQ(client->receive(), "");
  while (open_connections > 0) std::this_thread::sleep_for(1ms);
}

TEST_F(ServerTest, SurvivesMalformedRequests) {
  const std::size_t before = resident_kilobytes();
  Rng rng = seeded(3);
  for (int i = 0; i < 2000; ++i) {
    const Client client(port);
    ASSERT_TRUE(client.connected());
    std::string junk(rng.below(300) + 1, ' ');
    for (char& letter : junk) letter = static_cast<char>(rng.below(256));
    client.send(i % 2 == 0 ? junk + "\r\n\r\n" : "GET / HTTP/1.1\r\n" + junk + "\r\n\r\n");
    // Half are left without a word.
    if (i % 4 < 2) {
      const std::string answer = client.receive();
      EXPECT_EQ(answer.find("the page"), std::string::npos);
    }
  }
  EXPECT_EQ(get("/").find("HTTP/1.1 200"), 0u);
  EXPECT_LT(resident_kilobytes(), before + 32 * 1024);
}

TEST_F(ServerTest, CutsOffEndlessHeadersAndBodies) {
  const std::string huge = "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(1u << 20, 'a');
  EXPECT_EQ(ask(huge).substr(0, 12), "HTTP/1.1 431");
  EXPECT_EQ(ask("GET /" + std::string(1u << 20, 'a')).substr(0, 12), "HTTP/1.1 414");
  EXPECT_EQ(ask("GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\n")
                .substr(0, 12),
            "HTTP/1.1 413");
  // A second request in the same message gets no answer.
  const std::string two = ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\n");
  EXPECT_EQ(two.find("HTTP/1.1", 8), std::string::npos);
}

TEST_F(ServerTest, KeepsItsMemoryBoundedWithReadersThatDoNotRead) {
  const std::size_t before = resident_kilobytes();
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 64; ++i) {
    idle.push_back(std::make_unique<Client>(port));
    idle.back()->send("GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  EXPECT_EQ(get("/").find("HTTP/1.1 200"), 0u);
  EXPECT_LT(resident_kilobytes(), before + 32 * 1024);
}

TEST(Server, SaysWhichPortIsTaken) {
  ServerOptions options;
  options.port = 0;
  const Server first(options);
  options.port = first.port();
  try {
    const Server second(options);
    FAIL();
  } catch (const Error& problem) {
    EXPECT_NE(std::string(problem.what()).find("--port"), std::string::npos);
  }
}

}  // namespace
}  // namespace tarl::serve
