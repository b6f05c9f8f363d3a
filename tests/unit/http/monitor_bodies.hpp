#pragma once

#include "unit/http/body_case.hpp"

// Bodies of monitors and maintenance windows.

namespace svc::http::bodies {

inline std::string monitor(std::string const& type, std::string const& more = "") {
  return R"({"name":"abc","target":"a.test","type":")" + type + "\"" + (more.empty() ? "" : ",") + more + "}";
}
inline std::string config(std::string const& type, std::string const& members) {
  return monitor(type, R"("config":)" + members);
}

inline body_case const monitor_cases[] = {
    {"create_monitor", monitor("website"), ""},
    {"create_monitor", R"({"type":"website"})", "/name,/target"},
    {"create_monitor", "{}", "/type"},
    {"create_monitor", monitor("telnet"), "/type"},
    {"create_monitor", R"({"name":"abc","type":"heartbeat","config":{"schedule":{"everySeconds":30}}})", ""},
    {"create_monitor", R"({"name":"abc","type":"heartbeat","config":{"schedule":{"everySeconds":29}}})",
     "/config/schedule/everySeconds"},
    {"create_monitor", monitor("website", R"("frequencySeconds":10)"), ""},
    {"create_monitor", monitor("website", R"("frequencySeconds":9,"frequencyMinutes":1441)"),
     "/frequencySeconds,/frequencyMinutes"},
    {"create_monitor", monitor("website", R"("regions":[],"alertChannels":[])"), "/regions,/alertChannels"},
    {"create_monitor", monitor("website", R"("alertConfig":{"failureThreshold":101,"reminderMinutes":4})"),
     "/alertConfig/failureThreshold,/alertConfig/reminderMinutes"},
    {"create_monitor", monitor("dns"), "/config"},
    {"create_monitor", config("dns", R"({"recordType":"MX"})"), ""},
    {"create_monitor", config("dns", R"({"recordType":"ANY","expectedRcode":"OK"})"),
     "/config/recordType,/config/expectedRcode"},
    {"create_monitor", config("port_check", R"({"port":65536,"protocol":"sctp"})"), "/config/port,/config/protocol"},
    {"create_monitor", config("ping_host", R"({"count":11,"intervalMs":199,"port":1})"),
     "/config/count,/config/intervalMs,/config/port"},
    {"create_monitor", config("website", R"({"method":"GET"})"), "/config/method"},
    {"create_monitor", config("http_request", R"({"method":"TRACE","maxRedirects":11,"timeoutSeconds":61})"),
     "/config/method,/config/maxRedirects,/config/timeoutSeconds"},
    {"create_monitor", config("http_request", R"({"body":")" + text(65536) + "\"}"), ""},
    {"create_monitor", config("http_request", R"({"body":")" + text(65537) + "\"}"), "/config/body"},
    {"create_monitor", config("http_request", R"({"headers":{"A B":"x"}})"), "/config/headers/A B"},
    {"create_monitor", config("http_request", R"({"headers":{"A":"x\u0000"}})"), "/config/headers/A"},
    {"create_monitor", config("http_request", R"({"tls":{"clientKey":"{{KEY}}"}})"), ""},
    {"create_monitor", config("http_request", R"({"tls":{"clientKey":"-----BEGIN"}})"), "/config/tls/clientKey"},
    {"create_monitor", config("http_request", R"({"assertions":[{"source":"body","comparison":"is"}]})"),
     "/config/assertions/0/comparison"},
    {"create_monitor",
     config("http_request", R"({"assertions":[{"source":"status","comparison":"equals","expected":[]}]})"),
     "/config/assertions/0/expected"},
    {"test_monitor", monitor("website"), ""},
    {"test_monitor", monitor("telnet"), "/type"},
    {"test_monitor", "{}", "/type"},
    {"rotate_heartbeat_key", "{}", ""},
    {"rotate_heartbeat_key", R"({"graceSeconds":604800})", ""},
    {"rotate_heartbeat_key", R"({"graceSeconds":604801})", "/graceSeconds"},
    {"rotate_heartbeat_key", R"({"graceSeconds":-1,"grace":1})", "/graceSeconds,/grace"},
    {"update_monitor", R"({"status":"paused"})", ""},
    {"update_monitor", R"({"config":{"anything":null}})", ""},
    {"update_monitor", R"({"status":"down","type":"dns"})", "/status,/type"},
    {"update_monitor", R"({"dependsOn":)" + list(10, "\"" + id, "\"") + "}", ""},
    {"update_monitor", R"({"dependsOn":)" + list(11, "\"" + id, "\"") + "}", "/dependsOn"},
    {"update_monitor", "{}", "."},
    {"replace_monitor_tags", R"({"tags":)" + one_test + "}", ""},
    {"replace_monitor_tags", R"({"tags":)" + list(51, R"({"id":")" + id, "\"}") + "}", "/tags"},
    {"replace_monitor_tags", "{}", "/tags"},
};

inline body_case const window_cases[] = {
    {"create_maintenance_window", name("w"), ""},
    {"create_maintenance_window", name(text(255, "ä")), ""},
    {"create_maintenance_window", name(text(256)), "/name"},
    {"create_maintenance_window", with(R"("description":")" + text(2000) + "\""), ""},
    {"create_maintenance_window", with(R"("description":")" + text(2001) + "\""), "/description"},
    {"create_maintenance_window", with(R"("monitorIds":)" + list(500, "\"" + id, "\"")), ""},
    {"create_maintenance_window", with(R"("monitorIds":)" + list(501, "\"" + id, "\"")), "/monitorIds"},
    {"create_maintenance_window", with(R"("monitorIds":["x"],"all":null)"), "/monitorIds/0,/all"},
    {"create_maintenance_window", with(R"("tagIds":)" + list(20, "\"" + id, "\"")), ""},
    {"create_maintenance_window", with(R"("tagIds":)" + list(21, "\"" + id, "\"")), "/tagIds"},
    {"create_maintenance_window", with(R"("startsAt":"2026-11-20T10:00:00Z","endsAt":"2026-11-20T11:00:00+01:00")"),
     ""},
    {"create_maintenance_window", with(R"("startsAt":"today","endsAt":7)"), "/startsAt,/endsAt"},
    {"create_maintenance_window", with(R"("cron":"0 3 * * sun","durationMinutes":1440,"from":null,"until":null)"),
     ""},
    {"create_maintenance_window", with(R"("cron":"0 25 * * *","timeZone":"no zone","durationMinutes":1441)"),
     "/cron,/timeZone,/durationMinutes"},
    {"create_maintenance_window", with(R"("cron":"0 3 * * *","durationMinutes":0)"), "/durationMinutes"},
    {"create_maintenance_window", with(R"("statusPageIds":)" + list(10, "\"" + id, "\"")), ""},
    {"create_maintenance_window", with(R"("statusPageIds":)" + list(11, "\"" + id, "\"")), "/statusPageIds"},
    {"create_maintenance_window", with(R"("componentIds":)" + list(50, "\"" + id, "\"")), ""},
    {"create_maintenance_window", with(R"("componentIds":)" + list(51, "\"" + id, "\"")), "/componentIds"},
    {"create_maintenance_window",
     with(R"("announcement":{"title":"t","body":"b"},"announceHours":720,"notify":false)"), ""},
    {"create_maintenance_window", with(R"("announcement":null,"announceHours":0)"), ""},
    {"create_maintenance_window", with(R"("announcement":{"title":""},"announceHours":721,"notify":1)"),
     "/announcement/body,/announcement/title,/announceHours,/notify"},
    {"create_maintenance_window", with(R"("announcement":{"title":"t","body":")" + text(10'001) + "\"}"),
     "/announcement/body"},
    {"update_maintenance_window", R"({"excludeFromUptime":false,"cron":null})", ""},
    {"update_maintenance_window", R"({"name":null,"excludeFromUptime":null})", "/name,/excludeFromUptime"},
    {"update_maintenance_window", "{}", "."},
    {"start_monitor_maintenance", R"({"minutes":1})", ""},
    {"start_monitor_maintenance", R"({"minutes":10080,"description":null})", ""},
    {"start_monitor_maintenance", R"({"minutes":10081})", "/minutes"},
    {"start_monitor_maintenance", R"({"minutes":0,"name":"n"})", "/minutes,/name"},
    {"start_monitor_maintenance", "{}", "/minutes"},
    {"create_window_update", R"({"body":"b","displayAt":"2026-11-20T10:00:00Z","notify":false})", ""},
    {"create_window_update", R"({"body":"","status":"note"})", "/body,/status"},
    {"update_window_update", R"({"displayAt":"2026-11-20T10:00:00Z"})", ""},
    {"update_window_update", R"({"displayAt":null,"notify":true})", "/displayAt,/notify"},
};

}  // namespace svc::http::bodies
