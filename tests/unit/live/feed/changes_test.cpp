#include "svc/live/feed/changes.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace svc::feed {
namespace {

uuid number(int value) {
  uuid out;
  out.bytes[14] = static_cast<std::uint8_t>(value / 256);
  out.bytes[15] = static_cast<std::uint8_t>(value % 256);
  return out;
}

run_state state_of(int run, std::string status, std::int64_t order) {
  return {.run = number(run), .job = number(900), .status = std::move(status), .order = order};
}

TEST_CASE("a set names each thing once, and a run with its newest state") {
  change_set set(collector_bounds);
  CHECK(set.empty());
  set.add(state_of(1, "running", run_order(1, run_step::running)));
  set.add(state_of(1, "queued", run_order(0, run_step::queued)));  // late
  set.add(resource::job, number(7));
  set.add(resource::job, number(7));
  set.add(resource::monitor, number(7));
  CHECK(set.size() == 3);
  CHECK(set.runs().at(number(1)).status == "running");
  set.add(state_of(1, "passed", run_order(1, run_step::ended)));
  CHECK(set.runs().at(number(1)).status == "passed");
  CHECK(set.ids(resource::job).size() == 1);
  CHECK_FALSE(set.more(resource::job));
}

TEST_CASE("the states of a run are ordered by attempt and step") {
  std::vector<std::int64_t> const lived{run_order(0, run_step::queued), run_order(1, run_step::running),
                                        run_order(1, run_step::queued), run_order(2, run_step::running),
                                        run_order(2, run_step::ended)};
  for (std::size_t i = 1; i < lived.size(); ++i) CHECK(lived[i - 1] < lived[i]);
  // A run that is cancelled while it waits has the attempts of before.
  CHECK(run_order(0, run_step::queued) < run_order(0, run_step::ended));
}

TEST_CASE("a kind that reaches a bound has further changes, and other kinds are named still") {
  change_set set({.all = 5, .kind = 3});
  for (int i = 0; i < 3; ++i) set.add(resource::job, number(i));
  CHECK_FALSE(set.more(resource::job));
  set.add(resource::job, number(2));  // known
  CHECK_FALSE(set.more(resource::job));
  set.add(resource::job, number(3));
  CHECK(set.more(resource::job));
  set.add(state_of(1, "queued", 2));
  set.add(state_of(2, "queued", 2));
  CHECK_FALSE(set.more_runs());
  set.add(state_of(3, "queued", 2));  // over the bound of all
  CHECK(set.more_runs());
  set.add(resource::tag, number(1));
  CHECK(set.more(resource::tag));
  CHECK(set.ids(resource::tag).empty());
  CHECK(set.size() == 5);
  // A known run gets its state nevertheless.
  set.add(state_of(2, "running", run_order(1, run_step::running)));
  CHECK(set.runs().at(number(2)).status == "running");
}

TEST_CASE("a full collector names a thousand things, however many change") {
  change_set set(collector_bounds);
  for (int i = 0; i < 1500; ++i) set.add(state_of(i, "queued", 2));
  CHECK(set.size() == 1000);
  CHECK(set.more_runs());
}

TEST_CASE("the changes of one kind leave a set together") {
  change_set set({.all = 4, .kind = 2});
  set.add(state_of(1, "queued", 2));
  for (int i = 0; i < 3; ++i) set.add(resource::tag, number(i));
  auto const tags = set.take(resource::tag);
  CHECK(tags.ids(resource::tag).size() == 2);
  CHECK(tags.more(resource::tag));
  CHECK(set.size() == 1);
  CHECK_FALSE(set.more(resource::tag));
  CHECK(set.take_runs().runs().size() == 1);
  CHECK(set.empty());
}

TEST_CASE("a message that is read again is the set that was written") {
  change_set set(collector_bounds);
  set.add(state_of(1, "timed_out", run_order(3, run_step::ended)));
  set.add({.run = number(2), .status = "queued", .order = 2});
  for (std::size_t i = 0; i < resources; ++i) set.add(static_cast<resource>(i), number(static_cast<int>(i)));
  set.add_more(resource::alert);
  set.add_more_runs();
  auto const read = read_changes(write_changes(set));
  CHECK(read.runs() == set.runs());
  CHECK_FALSE(read.runs().at(number(2)).job);
  CHECK(read.more_runs());
  for (std::size_t i = 0; i < resources; ++i) {
    auto const kind = static_cast<resource>(i);
    CHECK(read.ids(kind) == set.ids(kind));
    CHECK(read.more(kind) == (kind == resource::alert));
    CHECK(parse_resource(to_string(kind)) == kind);
  }
}

TEST_CASE("any bytes are a message; unreadable parts of it count as nothing") {
  auto const id = number(1).to_string();
  std::string const texts[] = {"",
                               "\n\n",
                               "c",
                               "c ",
                               "c planet " + id,
                               "c job",
                               "c job x",
                               "m planet",
                               "z " + id,
                               "s",
                               "s " + id,
                               "s " + id + " - queued",
                               "s " + id + " - queued x",
                               "s " + id + " x queued 2",
                               "s " + id + " - QUEUED 2",
                               "s " + id + " - \"},\" 2",
                               "s " + id + " - " + std::string(33, 'a') + " 2",
                               std::string("s \0\xff", 4)};
  for (auto const& text : texts) {
    CAPTURE(text);
    CHECK(read_changes(text).empty());
  }
  CHECK(read_changes("c job x " + id + "\nfrom a newer version\nm").ids(resource::job).size() == 1);
  CHECK(read_changes("m").more_runs());
}

TEST_CASE("a message has at most a thousand things, whoever wrote it") {
  std::string text = "c job";
  for (int i = 0; i < 3000; ++i) text += " " + number(i).to_string();
  auto const read = read_changes(text);
  CHECK(read.size() == 1000);
  CHECK(read.more(resource::job));
}

TEST_CASE("a channel names its project, and no other text does") {
  auto const project = uuid::generate_v7();
  CHECK(project_of_channel(channel_of(project)) == project);
  CHECK(channel_of(number(0)) == "svc:{00000000-0000-0000-0000-000000000000}:events");
  for (auto const* text : {"", "svc:{}:events", "svc:{x}:events", "svc:{00000000-0000-0000-0000-000000000000}:news",
                           "svc:{00000000-0000-0000-0000-000000000000}:events2"})
    CHECK_FALSE(project_of_channel(text));
}

TEST_CASE("each kind needs the permission to view it") {
  struct {
    resource kind;
    role least;
  } const cases[] = {{resource::job, role::project_viewer},
                     {resource::run, role::project_viewer},
                     {resource::alert, role::project_viewer},
                     {resource::maintenance_window, role::project_viewer},
                     {resource::notification_provider, role::project_viewer},
                     {resource::member, role::project_viewer},
                     {resource::cli_token, role::project_editor},
                     {resource::trigger_key, role::project_editor},
                     {resource::runner, role::project_admin}};
  for (auto const& c : cases) {
    CAPTURE(to_string(c.kind));
    for (auto const viewer : {role::none, role::project_viewer, role::project_editor, role::project_admin,
                              role::org_admin, role::org_owner})
      CHECK(allows(viewer, permission_of(c.kind)) == (viewer >= c.least));
  }
  CHECK_FALSE(parse_resource("session"));
  CHECK_FALSE(parse_resource("user"));
}

}  // namespace
}  // namespace svc::feed
