#include "redis/topology.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>

using namespace svc;
using namespace svc::redis;

namespace {

reply text_reply(std::string text) {
  return {.kind = reply::type::bulk, .text = std::move(text)};
}
reply number_reply(std::int64_t value) {
  return {.kind = reply::type::integer, .number = value};
}
reply array_reply(std::vector<reply> elements) {
  return {.kind = reply::type::array, .elements = std::move(elements)};
}

/// Replies of a node whose Cluster has one master for all slots.
std::vector<outcome> view_replies(std::uint64_t epoch, std::string const& master, std::string const& state = "ok") {
  return {{delivery::answered,
           text_reply("cluster_state:" + state + "\r\ncluster_current_epoch:" + std::to_string(epoch) + "\r\n")},
          {delivery::answered, array_reply({array_reply({number_reply(0), number_reply(16383),
                                                         array_reply({text_reply(master), number_reply(1)})})})}};
}

/// A topology whose nodes the test scripts, without sockets.
struct scripted_cluster {
  scripted_cluster() { followed->start(); }
  ~scripted_cluster() {
    followed->stop();
    io.run();
  }
  scripted_cluster(scripted_cluster const&) = delete;
  scripted_cluster& operator=(scripted_cluster const&) = delete;

  topology::owner owner() {
    return {.nodes = [this] { return nodes; },
            .ask = [this](address node) { return ask(this, std::move(node)); },
            .take = [this](slot_map slots) { taken.push_back(slots.masters.at(0).host); },
            .failed = [this](std::string reason) { faults.push_back(std::move(reason)); },
            .content = [this] { return content; }};
  }
  static task<std::optional<std::vector<outcome>>> ask(scripted_cluster* cluster, address node) {
    cluster->asked.push_back(node.host);
    if (cluster->during_question) cluster->during_question();
    co_return cluster->replies[node.host];
  }
  void run_until(std::function<bool()> const& reached) {
    while (!reached() && io.run_one() > 0) {
    }
  }
  void run_rounds(std::size_t count) {
    auto const before = taken.size() + faults.size();
    run_until([&] { return taken.size() + faults.size() >= before + count; });
  }

  std::string last_taken() const { return taken.empty() ? std::string("none") : taken.back(); }

  asio::io_context io{1};
  std::vector<address> nodes{{"a", "1"}, {"b", "1"}};
  std::map<std::string, std::vector<outcome>> replies{};
  std::function<void()> during_question{};
  bool content = true;
  std::vector<std::string> asked{}, taken{}, faults{};
  std::shared_ptr<topology> followed = std::make_shared<topology>(io, settings{}, nullptr, owner());
};

}  // namespace

TEST_CASE("a node's view counts only if the node sees a majority and both replies can be read") {
  outcome const refused{delivery::answered, {.kind = reply::type::error, .text = "NOPERM x"}};
  outcome const missed{delivery::missed, {}};
  auto const good = view_replies(7, "m");
  struct {
    char const* name;
    std::vector<outcome> replies;
    char const* reason;  ///< null: the view counts
  } const cases[] = {
      {"good", good, nullptr},
      {"behind the replies of a handshake", {refused, good[0], good[1]}, nullptr},
      {"no majority", view_replies(7, "m", "fail"), "cluster_state is not ok"},
      {"first reply is an error", {refused, good[1]}, "NOPERM x"},
      {"second reply is an error", {good[0], refused}, "NOPERM x"},
      {"first reply is missing", {missed, good[1]}, "no answer"},
      {"no Cluster", {{delivery::answered, text_reply("x")}, good[1]}, "it does not describe a Cluster"},
      {"no map", {good[0], {delivery::answered, text_reply("x")}}, "it does not describe a Cluster"},
      {"one reply", {good[0]}, ""},
      {"no reply", {}, ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    std::string reason;
    auto const view = read_view(c.replies, {"a", "1"}, reason);
    REQUIRE(view.has_value() == (c.reason == nullptr));
    CHECK(reason == (c.reason == nullptr ? "" : c.reason));
    if (view) CHECK(view->epoch == 7);
  }
}

TEST_CASE("a view older than the last one is passed over for another node's until no node has a newer one") {
  scripted_cluster cluster;
  cluster.content = false;
  cluster.replies = {{"a", view_replies(5, "five")}, {"b", view_replies(5, "other")}};
  cluster.run_rounds(1);
  CHECK(cluster.taken == std::vector<std::string>{"five"});
  CHECK(cluster.asked == std::vector<std::string>{"a"});

  cluster.replies = {{"a", view_replies(4, "four")}, {"b", view_replies(6, "six")}};
  cluster.run_rounds(1);
  CHECK(cluster.taken == std::vector<std::string>{"five", "six"});
  CHECK(cluster.asked == std::vector<std::string>{"a", "a", "b"});

  // The same epoch is no older one.
  cluster.replies["a"] = view_replies(6, "same");
  cluster.run_rounds(1);
  CHECK(cluster.last_taken() == "same");
  CHECK(cluster.faults.empty());

  cluster.replies = {{"a", view_replies(1, "new")}, {"b", view_replies(1, "new")}};
  cluster.run_rounds(1);
  CHECK(cluster.taken.size() == 3);
  REQUIRE(cluster.faults.size() == 1);
  CHECK(cluster.faults[0] == "no node names the masters: a:1: its view is outdated; b:1: its view is outdated");
  cluster.run_rounds(1);
  CHECK(cluster.last_taken() == "new");
}

TEST_CASE("a node that sees no majority is not believed and the reasons name each node") {
  scripted_cluster cluster;
  cluster.replies = {{"a", view_replies(5, "m", "fail")}, {"b", view_replies(5, "m", "fail")}};
  cluster.run_rounds(2);
  CHECK(cluster.taken.empty());
  REQUIRE(cluster.faults.size() == 2);
  CHECK(cluster.faults[1] == "no node names the masters: a:1: cluster_state is not ok; b:1: cluster_state is not ok");
}

TEST_CASE("the nodes are asked again at once on request and soon while the owner is not content") {
  // Less than the interval of a content owner, which is at least 1.6 s.
  constexpr milliseconds soon{1500};
  for (bool const content : {true, false}) {
    CAPTURE(content);
    scripted_cluster cluster;
    cluster.content = content;
    cluster.replies = {{"a", view_replies(5, "m")}};
    cluster.run_rounds(1);
    auto const first = steady::now();
    cluster.run_rounds(1);
    CHECK((steady::now() - first < soon) != content);
  }
  scripted_cluster cluster;
  cluster.replies = {{"a", view_replies(5, "m")}};
  cluster.run_rounds(1);
  // The topology waits now.
  cluster.io.poll();
  auto const first = steady::now();
  for (int i = 0; i < 3; ++i) cluster.followed->refresh();
  cluster.run_rounds(1);
  CHECK(steady::now() - first < soon);
  // A request during a question is one further question.
  cluster.during_question = [&] {
    cluster.followed->refresh();
    cluster.followed->refresh();
    cluster.during_question = {};
  };
  cluster.followed->refresh();
  cluster.run_rounds(2);
  CHECK(steady::now() - first < soon);
  CHECK(cluster.taken.size() == 4);
}

TEST_CASE("a stopped topology asks nothing more") {
  scripted_cluster cluster;
  cluster.content = false;
  cluster.replies = {{"a", view_replies(5, "m")}};
  cluster.run_rounds(1);
  cluster.followed->stop();
  cluster.io.run();
  CHECK(cluster.taken.size() == 1);
  CHECK(cluster.asked.size() == 1);
}
