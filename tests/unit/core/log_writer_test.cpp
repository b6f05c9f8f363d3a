#include "core/log_writer.hpp"
#include "svc/core/log.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using svc::log::log_writer;

namespace {

/// A pipe whose read end is emptied on request.
class pipe_end {
 public:
  pipe_end() { REQUIRE(::pipe2(ends_.data(), O_CLOEXEC) == 0); }
  ~pipe_end() {
    ::close(ends_[0]);
    close_writer();
  }
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_writer() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  /// Reads to the end: the write end must be closed already, or be closed by another thread.
  std::string read_all() {
    std::string all;
    std::array<char, 65536> part;
    for (;;) {
      auto const n = ::read(ends_[0], part.data(), part.size());
      if (n <= 0) return all;
      all.append(part.data(), static_cast<std::size_t>(n));
    }
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

template <class... Members>
concept compiles_with = requires(Members... members) { svc::log::field(members...); };

}  // namespace

TEST_CASE("a log line cannot have a member of its own that is called time, level or message") {
  for (auto const* reserved : {"time", "level", "message", ""}) CHECK_FALSE(svc::log::is_free_name(reserved));
  for (auto const* usual : {"messageId", "reason", "times"}) CHECK(svc::log::is_free_name(usual));
  // A name that only exists at run time cannot be checked, so it does not compile.
  static_assert(!compiles_with<std::string, int>);
}

TEST_CASE("the destructor writes queued lines, in order") {
  pipe_end pipe;
  {
    log_writer log(pipe.writer());
    log.add("one");
    log.add("");
    log.add("three");
  }
  pipe.close_writer();
  CHECK(pipe.read_all() == "one\n\nthree\n");
}

TEST_CASE("a line is written without another one after it") {
  pipe_end pipe;
  log_writer log(pipe.writer());
  std::array<char, 16> text;
  for (std::string_view const line : {"first", "second"}) {
    log.add(line);
    auto const n = ::read(pipe.reader(), text.data(), text.size());
    CHECK(std::string_view(text.data(), static_cast<std::size_t>(n)) == std::string(line) + "\n");
  }
}

TEST_CASE("lines of many threads stay whole, and each thread's in order") {
  constexpr int threads = 4, each = 20'000;
  pipe_end pipe;
  std::string all;
  std::thread reader([&] { all = pipe.read_all(); });
  {
    log_writer log(pipe.writer());
    std::vector<std::thread> writers;
    for (int t = 0; t < threads; ++t) {
      writers.emplace_back([&log, t] {
        for (int i = 0; i < each; ++i) log.add(std::to_string(t) + " " + std::to_string(i));
      });
    }
    for (auto& w : writers) w.join();
  }
  pipe.close_writer();
  reader.join();

  std::istringstream lines(all);
  std::map<int, int> next;
  int wrong = 0;
  for (int thread = 0, number = 0; lines >> thread >> number;) wrong += next[thread]++ != number;
  CHECK(wrong == 0);
  for (int t = 0; t < threads; ++t) CHECK(next[t] == each);
}

TEST_CASE("a descriptor that stalls costs lines, which are counted, and never a caller's time") {
  pipe_end pipe;
  std::string const line(1000, 'x');
  constexpr int given = 20'000;  // 20 MB; the pipe, one batch and the writer's bound hold less than 9
  std::string all;
  std::optional<std::thread> reader;
  std::size_t reported = 0;
  {
    log_writer log(pipe.writer());
    for (int i = 0; i < given; ++i) log.add(line);
    reported = log.dropped();
    reader.emplace([&] { all = pipe.read_all(); });
  }
  pipe.close_writer();
  reader->join();

  std::istringstream lines(all);
  int whole = 0, lost = 0;
  for (std::string text; std::getline(lines, text);) {
    if (text == line) ++whole;
    auto const count = text.find("\"count\":");
    if (count != std::string::npos) lost += std::stoi(text.substr(count + 8));
  }
  CHECK(lost > 0);
  CHECK(reported == static_cast<std::size_t>(lost));
  CHECK(whole + lost == given);
}
