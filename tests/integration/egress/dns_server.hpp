#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

/// A question as the server received it.
struct dns_question {
  std::string name;  ///< in lower case
  int type = 0;
  int count = 0;  ///< number of earlier questions for this name and type
};

/// The server's reaction to a question.
struct dns_script {
  enum class kind : std::uint8_t { answer, silence, cut };  ///< `cut`: over UDP only the truncated bit
  kind behaviour = kind::answer;
  int rcode = 0;
  struct record {
    std::string owner;  ///< empty: the question's name
    int type = 0;
    std::uint32_t ttl = 0;
    std::string data;  ///< in wire format
  };
  std::vector<record> records{};
};

/// Returns the wire data of records.
std::string dns_address(std::string const& text);
std::string dns_name(std::string const& text);

/// Returns an answer with the addresses of the requested type.
dns_script dns_addresses(dns_question const& question, std::vector<std::string> const& addresses,
                         std::uint32_t ttl = 60);

/// A DNS server on 127.0.0.1, over UDP and TCP on one port, that a function scripts. Owns a thread, on which the
/// function runs. The server also counts queries for `.` and passes them to the function.
class dns_server {
 public:
  using script = std::function<dns_script(dns_question const&)>;
  explicit dns_server(script script);
  ~dns_server();
  dns_server(dns_server const&) = delete;
  dns_server& operator=(dns_server const&) = delete;

  int port() const { return port_; }
  int questions() const { return questions_; }
  int over_tcp() const { return over_tcp_; }

 private:
  void run();
  std::string answer(std::string const& query, bool tcp);

  script script_;
  int udp_ = -1, tcp_ = -1, port_ = 0;
  std::vector<std::pair<std::string, int>> counts_;
  std::atomic<int> questions_ = 0, over_tcp_ = 0;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace svc::test
