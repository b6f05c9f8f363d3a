// A runner that may be killed at any time: several runs at once, any instance, every action on record. Some of its
// runs are long and kept by heartbeats, and some it forgets until their lease has ended, and then reports their end.
// usage: campaign_runner RECORD NAME SLOTS LEASE_SECONDS SEED SOCKET...; the token in SVC_RUNNER_TOKEN
#include "integration/system/campaigns/runner/record.hpp"
#include "integration/system/campaigns/runner/waits.hpp"
#include "support/https_client.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <boost/json.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>

namespace svc::test {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

constexpr milliseconds step{20}, between_heartbeats{300}, notified_within{30'000}, last_words{2000};
constexpr int dropped_percent = 3, long_percent = 7, failed_percent = 20, timed_out_percent = 25;

std::atomic<bool> stopping = false;

struct duty {
  std::string record, name, token;
  int slots = 1;
  milliseconds lease{};
  unsigned seed = 0;
  std::vector<std::string> sockets{};
};

/// Executes one run at a time; a thread.
class worker {
 public:
  worker(duty const& duty, int number)
      : duty_(duty),
        dice_(duty.seed * 1000 + static_cast<unsigned>(number)),
        file_(open_record(duty.record)),
        waits_(open_record(duty.record + ".waits")) {
    for (auto const& path : duty.sockets) doors_.emplace_back("http://unix:" + path, "", duty.token, longest_wait);
    position_ = static_cast<std::size_t>(number) % doors_.size();
  }
  ~worker() {
    ::close(file_);
    ::close(waits_);
  }
  worker(worker const&) = delete;
  worker& operator=(worker const&) = delete;

  std::string enroll() {
    json::object const self{{"name", duty_.name}, {"version", "1"}, {"labels", {"command"}}, {"slots", duty_.slots}};
    auto const got = insist("register", self, [] { return bool(stopping); });
    return got && got->status == 200 ? std::string(json::parse(got->body).at("executorId").as_string()) : "";
  }

  void work(std::string const& runner) {
    while (!stopping) {
      auto const got =
          once("claim",
               {{"executorId", runner}, {"labels", {"command"}}, {"max", pick(1, 3)}, {"waitSeconds", pick(1, 5)}});
      if (!got || got->status != 200) {
        std::this_thread::sleep_for(step);
        continue;
      }
      auto const body = json::parse(got->body);
      for (auto const& value : body.at("claims").as_array()) note("claimed", value);
      for (auto const& value : body.at("claims").as_array()) execute(value);
    }
  }

 private:
  using answer = support::answer;

  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(dice_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }

  void note(std::string subject, json::value const& claim, std::string said = "-", int answered = 0) {
    deed const entry{std::move(subject),
                     std::string(claim.at("runId").as_string()),
                     std::string(claim.at("claimId").as_string()),
                     claim.at("attempt").as_int64(),
                     std::move(said),
                     answered};
    write_line(file_, to_line(entry));
  }

  static int open_record(std::string const& name) {
    return ::open(name.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  }

  /// A single write, so that the record has whole lines whatever happens next.
  static void write_line(int file, std::string const& line) {
    if (::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) std::abort();
  }

  /// Nothing: it is unknown whether the request was executed. Uses a new connection, so that nothing is sent twice
  /// unnoticed.
  std::optional<answer> once(std::string const& path, json::object const& body) {
    auto& connection = doors_[position_];
    auto const* const wait = body.if_contains("waitSeconds");
    timed_request timed{.asker = duty_.name, .subject = path.substr(path.rfind('/') + 1), .start = clock::now()};
    if (wait != nullptr) timed.asked_wait = std::chrono::seconds(wait->as_int64());
    std::optional<answer> got;
    try {
      connection.http().close();
      got = connection.post("/internal/v1/" + path, json::serialize(body));
    } catch (std::exception const&) {
      position_ = (position_ + 1) % doors_.size();
    }
    timed.end = clock::now();
    timed.answer = got ? got->status : 0;
    write_line(waits_, to_line(timed));
    return got;
  }

  /// Repeats the request until the answer is more than a 503.
  std::optional<answer> insist(std::string const& path, json::object const& body,
                               std::function<bool()> const& enough) {
    for (;;) {
      auto got = once(path, body);
      if (got && got->status != 503) return got;
      if (enough()) return std::nullopt;
      std::this_thread::sleep_for(step);
    }
  }

  static std::string path_of(json::value const& claim, std::string const& subject) {
    return "runs/" + std::string(claim.at("runId").as_string()) + "/" + subject;
  }

  void print(json::value const& claim, int& printed) {
    auto const number = std::to_string(++printed);
    auto const text =
        output_line(claim.at("attempt").as_int64(), number, std::string(claim.at("claimId").as_string()));
    note("prints", claim, number);
    auto const got = once(
        path_of(claim, "output"),
        {{"claimId", claim.at("claimId")}, {"lines", {{{"seq", printed}, {"stream", "stdout"}, {"text", text}}}}});
    note("printed", claim, number, got ? got->status : 0);
  }

  void end(json::value const& claim, std::string const& status, int printed) {
    json::array tests;
    for (auto const& test : claim.at("tests").as_array())
      if (status != "cancelled") tests.push_back({{"id", test.at("id")}, {"status", status}, {"durationMs", 1}});
    note("ends", claim, status);
    auto const until = clock::now() + notified_within;
    auto const got = insist(
        path_of(claim, "complete"),
        {{"claimId", claim.at("claimId")}, {"status", status}, {"lastSeq", printed}, {"tests", std::move(tests)}},
        [&] { return clock::now() > until; });
    note("ended", claim, status, got ? got->status : 0);
  }

  void release(json::value const& claim) {
    note("releases", claim);
    auto const until = clock::now() + last_words;
    auto const got =
        insist(path_of(claim, "release"), {{"claimId", claim.at("claimId")}}, [&] { return clock::now() > until; });
    note("released", claim, "-", got ? got->status : 0);
  }

  /// False when it is time to hand back the run.
  static bool pass(milliseconds how_long) {
    for (auto const until = clock::now() + how_long; clock::now() < until; std::this_thread::sleep_for(step))
      if (stopping) return false;
    return true;
  }

  /// The result of a run that is kept by heartbeats: its status, `lost`, or nothing when it must be handed back.
  std::optional<std::string> keep(json::value const& claim, std::string const& status, int& printed) {
    for (auto const until = clock::now() + duty_.lease * 3 / 2; clock::now() < until;) {
      auto const got = once(path_of(claim, "heartbeat"), {{"claimId", claim.at("claimId")}, {"waitSeconds", 0}});
      if (got && got->status == 409) return "lost";
      if (got && got->status == 200 && json::parse(got->body).at("cancel").as_bool()) return "cancelled";
      print(claim, printed);
      if (!pass(between_heartbeats)) return std::nullopt;
    }
    return status;
  }

  void execute(json::value const& claim) {
    std::string status = !chance(failed_percent) ? "passed" : chance(timed_out_percent) ? "timed_out" : "failed";
    int const kind = pick(1, 100);
    int printed = 0;
    print(claim, printed);
    if (kind <= long_percent) {
      auto const kept = keep(claim, status, printed);
      if (!kept) return release(claim);
      // The report must be refused, no matter if the runner knows it.
      if (*kept != "lost")
        status = *kept;
      else if (chance(50))
        return;
    } else if (kind <= long_percent + dropped_percent) {
      pass(duty_.lease + milliseconds(2500));
      print(claim, printed);
    } else if (!pass(milliseconds(pick(20, 400)))) {
      return release(claim);
    }
    end(claim, status, printed);
  }

  duty const& duty_;
  std::mt19937 dice_;
  int file_, waits_;
  std::vector<support::api_client> doors_{};
  std::size_t position_ = 0;
};

int serve(duty const& duty) {
  std::signal(SIGTERM, [](int /*number*/) { stopping = true; });
  auto const runner = worker(duty, 0).enroll();
  if (runner.empty()) return stopping ? 0 : 1;
  std::vector<std::thread> threads;
  for (int i = 0; i < duty.slots; ++i) threads.emplace_back([&duty, &runner, i] { worker(duty, i).work(runner); });
  for (auto& thread : threads) thread.join();
  return 0;
}

}  // namespace
}  // namespace svc::test

int main(int argc, char** argv) {
  std::vector<std::string> const words(argv + 1, argv + argc);
  char const* const token = std::getenv("SVC_RUNNER_TOKEN");
  if (words.size() < 6 || token == nullptr) return 2;
  svc::test::duty duty{.record = words[0], .name = words[1], .token = token};
  duty.slots = std::stoi(words[2]);
  duty.lease = std::chrono::seconds(std::stoi(words[3]));
  duty.seed = static_cast<unsigned>(std::stoul(words[4]));
  duty.sockets.assign(words.begin() + 5, words.end());
  return svc::test::serve(duty);
}
