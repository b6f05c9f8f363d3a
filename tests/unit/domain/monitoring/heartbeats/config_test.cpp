// `config` of heartbeats, and the end of their paths.
#include "played_pings.hpp"

using namespace svc;
using namespace svc::heartbeats;

TEST_CASE("a heartbeat's config is read with its bounds") {
  struct {
    char const* name;
    char const* config;
    char const* wrong;  ///< the fields that are refused
  } const cases[] = {
      {"a period", R"({"schedule":{"everySeconds":30}})", ""},
      {"the longest period", R"({"schedule":{"everySeconds":2592000}})", ""},
      {"too short", R"({"schedule":{"everySeconds":29}})", "/config/schedule/everySeconds"},
      {"too long", R"({"schedule":{"everySeconds":2592001}})", "/config/schedule/everySeconds"},
      {"a fraction", R"({"schedule":{"everySeconds":30.5}})", "/config/schedule/everySeconds"},
      {"a cron schedule", R"({"schedule":{"cron":"0 3 * * *"}})", ""},
      {"in a zone", R"({"schedule":{"cron":"0 3 * * *","timeZone":"Europe/Berlin"}})", ""},
      {"an unknown zone", R"({"schedule":{"cron":"0 3 * * *","timeZone":"Mars/Base"}})", "/config/schedule/timeZone"},
      {"no schedule of cron", R"({"schedule":{"cron":"0 3 * *"}})", "/config/schedule/cron"},
      {"a zone alone", R"({"schedule":{"everySeconds":60,"timeZone":"UTC"}})", "/config/schedule/timeZone"},
      {"both", R"({"schedule":{"everySeconds":60,"cron":"* * * * *"}})", "/config/schedule"},
      {"neither", R"({"schedule":{}})", "/config/schedule"},
      {"null is none", R"({"schedule":{"everySeconds":60,"cron":null},"graceSeconds":null})", ""},
      {"no schedule at all", R"({})", "/config/schedule"},
      {"schedule is no object", R"({"schedule":60})", "/config/schedule"},
      {"unknown members", R"({"schedule":{"everySeconds":60,"x":1},"y":2})", "/config/y /config/schedule/x"},
      {"bounds of graces",
       R"({"schedule":{"everySeconds":60},"graceSeconds":604801,"startGraceSeconds":-1,"earlySeconds":3601})",
       "/config/graceSeconds /config/startGraceSeconds /config/earlySeconds"},
      {"no longest run of 0", R"({"schedule":{"everySeconds":60},"maxDurationSeconds":0})",
       "/config/maxDurationSeconds"},
      {"methods", R"({"schedule":{"everySeconds":60},"methods":"get"})", "/config/methods"},
  };
  for (auto const& each : cases) {
    CAPTURE(each.name);
    auto const read = parse_heartbeat(boost::json::parse(each.config).as_object());
    std::string wrong;
    if (!read)
      for (auto const& field : read.error().details) wrong += (wrong.empty() ? "" : " ") + field.field;
    CHECK(wrong == each.wrong);
  }
}

TEST_CASE("members that a heartbeat's config leaves out have their defaults") {
  auto const plain = config_of(R"({"schedule":{"everySeconds":60}})");
  CHECK(plain.grace == std::chrono::seconds(300));
  CHECK(plain.early == std::chrono::seconds(60));
  CHECK_FALSE(plain.start_grace);
  CHECK_FALSE(plain.longest_run);
  CHECK_FALSE(plain.only_post);
  auto const full =
      config_of(R"({"schedule":{"cron":"* * * * *"},"graceSeconds":0,"startGraceSeconds":7,"maxDurationSeconds":8,)"
                R"("earlySeconds":0,"methods":"post"})");
  CHECK(full.time_zone == "UTC");
  CHECK(full.grace == std::chrono::seconds(0));
  CHECK(full.start_grace == std::chrono::seconds(7));
  CHECK(full.longest_run == std::chrono::seconds(8));
  CHECK(full.only_post);
}

TEST_CASE("signals have one spelling") {
  using kind = signal_kind;
  CHECK(parse_signal("") == signal{});
  CHECK(parse_signal("0") == signal{});
  CHECK(parse_signal("fail") == signal{kind::failure, std::nullopt});
  CHECK(parse_signal("start") == signal{kind::start, std::nullopt});
  CHECK(parse_signal("log") == signal{kind::log, std::nullopt});
  CHECK(parse_signal("1") == signal{kind::failure, 1});
  CHECK(parse_signal("255") == signal{kind::failure, 255});
  for (char const* none :
       {"256", "00", "01", "-1", "+1", "1.0", "0x1", "FAIL", "success", "1 ", " 1", "9999", "ok"}) {
    CAPTURE(none);
    CHECK_FALSE(parse_signal(none));
  }
}
