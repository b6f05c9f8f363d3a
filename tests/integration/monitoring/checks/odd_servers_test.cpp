// Answers as servers really send them, from public reports and the letter of the RFCs: each has its documented status
// and code. A file in odd/ is a list of
//
//   ## where it comes from: what is odd about it
//   up CODE [body=BYTES] [version=V] [redirects=N] [truncated]     or     STATUS CODE_OF_RESULT [STATUS_CODE]
//   method HEAD                                 otherwise GET
//   now                                         plays before the request was read
//   send TEXT, bytewise TEXT, repeat N TEXT, drip TEXT (each second, without end), pause, hold, reset, close
//
// TEXT has the escapes \r \n \t \\ \0 \xHH; %OK is a good status line and %END a body of two bytes with its length
// and the empty line before it, $PORT the server's port and $SELF the path. The connection is closed at the end.
#include "integration/monitoring/checks/fixture.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/numbers.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace svc::checks {
namespace {

struct step {
  std::string subject{};
  std::string text{};
};

struct odd_answer {
  std::string title{}, wanted{}, method = "GET";
  bool at_once = false;
  std::vector<step> steps{};

  bool ends_by_itself() const { return wanted.find("_timeout") == std::string::npos; }
};

void replace_all(std::string& input, std::string_view subject, std::string_view name) {
  for (auto sv = input.find(subject); sv != std::string::npos; sv = input.find(subject, sv + name.size()))
    input.replace(sv, subject.size(), name);
}

std::string unescaped(std::string text) {
  replace_all(text, "%OK", R"(HTTP/1.1 200 OK\r\n)");
  replace_all(text, "%END", R"(Content-Length: 2\r\n\r\nok)");
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    char const kind = text.at(++i);
    if (kind == 'x') {
      out += static_cast<char>(from_hex(text.substr(i + 1, 2)).value().at(0));
      i += 2;
    } else {
      out += kind == 'r' ? '\r' : kind == 'n' ? '\n' : kind == 't' ? '\t' : kind == '0' ? '\0' : kind;
    }
  }
  return out;
}

/// Returns `name` with the text after it, or nothing.
std::pair<std::string, std::string> words_of(std::string const& line) {
  auto const space = line.find(' ');
  return space == std::string::npos ? std::pair(line, std::string())
                                    : std::pair(line.substr(0, space), line.substr(space + 1));
}

step step_of(std::string const& line) {
  auto [content, text] = words_of(line);
  if (content != "repeat") return {content, unescaped(text)};
  auto const [count, piece] = words_of(text);
  std::string out;
  for (int left = parse_number<int>(count).value(); left > 0; --left) out += unescaped(piece);
  return {"send", out};
}

std::vector<odd_answer> read_odd(std::filesystem::path const& file) {
  std::vector<odd_answer> out;
  std::ifstream input(file);
  for (std::string line; std::getline(input, line);) {
    if (line.starts_with("## ")) {
      out.push_back({.title = line.substr(3)});
    } else if (line.empty() || line.starts_with("#")) {
      continue;
    } else if (out.back().wanted.empty()) {
      out.back().wanted = line;
    } else if (line.starts_with("method ")) {
      out.back().method = line.substr(7);
    } else if (line == "now") {
      out.back().at_once = true;
    } else {
      out.back().steps.push_back(step_of(line));
    }
  }
  return out;
}

std::vector<odd_answer> all_odd_answers() {
  std::vector<odd_answer> out;
  for (auto const& file : std::filesystem::directory_iterator(SVC_ODD_SERVERS)) {
    auto more = read_odd(file.path());
    std::ranges::move(more, std::back_inserter(out));
  }
  return out;
}

void play(step const& step, http_connection& connection) {
  auto const rest = [] { std::this_thread::sleep_for(20ms); };
  if (step.subject == "send") connection.send(step.text);
  if (step.subject == "pause") rest();
  if (step.subject == "hold") connection.hold();
  if (step.subject == "reset") connection.reset();
  if (step.subject == "bytewise") {
    for (char const c : step.text) {
      connection.send({&c, 1});
      std::this_thread::sleep_for(1ms);
    }
  }
  if (step.subject == "drip")
    while (connection.send(step.text)) rest();
}

/// Plays the answer whose number the path starts with, and a good one for all other paths. Each answer that precedes
/// the request has a separate server.
class odd_server {
 public:
  explicit odd_server(std::vector<odd_answer> const& all)
      : all_(all), server_([this](http_connection& connection) { serve(connection); }) {}

  std::string url(std::size_t i) const { return server_.url("/" + std::to_string(i)); }

 private:
  void serve(http_connection& connection) {
    auto const request = connection.request();
    auto const begin = request.find('/');
    if (begin == std::string::npos) return;
    auto const path = request.substr(begin, request.find(' ', begin) - begin);
    auto const number = parse_number<std::size_t>(path.substr(1, path.find('?') - 1));
    if (!number || *number >= all_.size()) {
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      return;
    }
    for (auto step : all_[*number].steps) {
      replace_all(step.text, "$PORT", std::to_string(server_.port()));
      replace_all(step.text, "$SELF", path);
      play(step, connection);
    }
  }

  std::vector<odd_answer> const& all_;
  http_server server_;
};

std::string reported(check_outcome const& got, std::string const& wanted) {
  auto const& known = got.result.known;
  auto out = outcome(got);
  if (known.status_code && (out.starts_with("up") || out.ends_with("status_unexpected")))
    out += " " + std::to_string(*known.status_code);
  auto const add_if_asked = [&](std::string const& name, std::string const& value) {
    if (wanted.find(" " + name + "=") != std::string::npos) out.append(" ").append(name).append("=").append(value);
  };
  add_if_asked("body", std::to_string(known.body_bytes.value_or(0)));
  add_if_asked("version", known.http_version.value_or(""));
  add_if_asked("redirects", std::to_string(known.redirects.value_or(0)));
  if (known.truncated) out += " truncated";
  return out;
}

std::shared_ptr<check_config const> check_for(odd_answer const& answer, std::string const& url) {
  return parsed({.target = url,
                 .config = R"({"retryStrategy":{"maxRetries":0},"maxRedirects":3,"maxBodyBytes":4096,"method":")" +
                           answer.method + R"(","timeoutSeconds":)" + (answer.ends_by_itself() ? "20}" : "1}")});
}

}  // namespace

TEST_CASE("odd answers, from public reports, have their documented status and code") {
  auto const all = all_odd_answers();
  CHECK(all.size() >= 200);
  odd_server server(all);
  std::vector<std::unique_ptr<http_server>> impatient;
  probing probe;
  std::vector<std::shared_ptr<check_config const>> configs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].at_once) {
      configs.push_back(check_for(all[i], server.url(i)));
      continue;
    }
    impatient.push_back(std::make_unique<http_server>([steps = all[i].steps](http_connection& connection) {
      for (auto const& step : steps) play(step, connection);
    }));
    configs.push_back(check_for(all[i], impatient.back()->url()));
  }
  // The batches are as large as the server's queue of connections.
  std::vector<check_outcome> results;
  for (std::size_t i = 0; i < configs.size(); i += 50) {
    auto const end = std::min(i + 50, configs.size());
    std::ranges::move(run_all(probe, {configs.begin() + static_cast<std::ptrdiff_t>(i),
                                      configs.begin() + static_cast<std::ptrdiff_t>(end)}),
                      std::back_inserter(results));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(all[i].title);
    if (results[i].result.known.error) CAPTURE(results[i].result.known.error->message);
    CHECK(reported(results[i], all[i].wanted) == all[i].wanted);
    CHECK(checks::details_json(results[i].result).size() <= checks::longest_details);
  }
}

}  // namespace svc::checks
