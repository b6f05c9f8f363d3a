#pragma once

#include "unit/http/body_case.hpp"

// Bodies of status pages, components and incidents.

namespace svc::http::bodies {

inline std::string page(std::string const& member) {
  return R"({"name":"n","slug":"acme",)" + member + "}";
}
inline std::string incident(std::string const& member) {
  return R"({"name":"n","status":"investigating","body":"b",)" + member + "}";
}

inline body_case const page_cases[] = {
    {"create_status_page", R"({"name":"n","slug":"acme"})", ""},
    {"create_status_page", R"({"name":"n","slug":"a1c"})", ""},
    {"create_status_page", R"({"name":"n","slug":")" + text(63) + "\"}", ""},
    {"create_status_page", R"({"name":"n","slug":")" + text(64) + "\"}", "/slug"},
    {"create_status_page", R"({"name":"n","slug":"ac"})", "/slug"},
    {"create_status_page", R"({"name":"n","slug":"-cme"})", "/slug"},
    {"create_status_page", R"({"name":"n","slug":"acm-"})", "/slug"},
    {"create_status_page", R"({"name":"n","slug":"Acme"})", "/slug"},
    {"create_status_page", "{}", "/name,/slug"},
    {"create_status_page", page(R"("headline":null,"description":null,"accentColor":null,"supportUrl":null)"), ""},
    {"create_status_page", page(R"("headline":")" + text(256) + R"(","description":")" + text(2001) + "\""),
     "/headline,/description"},
    {"create_status_page", page(R"("accentColor":"#1D4ed8","visibility":"members","status":"archived")"), ""},
    {"create_status_page", page(R"("accentColor":"1d4ed8","visibility":"secret","status":"live")"),
     "/accentColor,/visibility,/status"},
    {"create_status_page", page(R"("allowedCidrs":[])"), "/allowedCidrs"},
    {"create_status_page", page(R"("allowedCidrs":["203.0.113.0/24","x"])"), "/allowedCidrs/1"},
    {"create_status_page", page(R"("language":"zh","timeZone":"Asia/Shanghai","autoIncidentMinutes":60)"), ""},
    {"create_status_page", page(R"("language":"sv","timeZone":"no zone","autoIncidentMinutes":61)"),
     "/language,/timeZone,/autoIncidentMinutes"},
    {"create_status_page", page(R"("autoIncidentMinutes":0,"allowFeeds":null)"), "/autoIncidentMinutes,/allowFeeds"},
    {"create_status_page", page(R"("notificationProviders":)" + list(10, "\"" + id, "\"")), ""},
    {"create_status_page", page(R"("notificationProviders":)" + list(11, "\"" + id, "\"")), "/notificationProviders"},
    {"create_status_page", page(R"("customDomain":"status.example.org")"), ""},
    {"create_status_page", page(R"("customDomain":"","domain":{})"), "/customDomain,/domain"},
    {"update_status_page", R"({"status":"published","customDomain":null})", ""},
    {"update_status_page", R"({"slug":null,"componentStatus":"operational"})", "/slug,/componentStatus"},
    {"update_status_page", "{}", "."},
    {"set_status_page_logo", R"({"contentType":"image/webp","data":"AAAA"})", ""},
    {"set_status_page_logo", R"({"contentType":"image/svg+xml","data":""})", "/contentType,/data"},
    {"set_status_page_logo", R"({"contentType":"image/png","data":")" + text(349'529) + "\"}", "/data"},
    {"create_component", name("c"), ""},
    {"create_component", with(R"("statusOverride":null,"overrideUntil":null,"position":9999,"group":null)"), ""},
    {"create_component", with(R"("statusOverride":"unknown","overrideUntil":"soon","position":-1)"),
     "/statusOverride,/overrideUntil,/position"},
    {"create_component", with(R"("monitorIds":)" + list(50, "\"" + id, "\"")), ""},
    {"create_component", with(R"("monitorIds":)" + list(51, "\"" + id, "\"")), "/monitorIds"},
    {"create_component", with(R"("group":")" + text(101) + R"(","aggregation":"best_case")"), "/group,/aggregation"},
    {"update_component", R"({"aggregation":"majority_vote","showUptime":false})", ""},
    {"update_component", R"({"name":"","status":"operational"})", "/name,/status"},
    {"update_component", "{}", "."},
};

inline body_case const incident_cases[] = {
    {"create_incident", incident(R"("impact":"none","startedAt":null,"components":[],"notify":false)"), ""},
    {"create_incident", R"({"name":"n","status":"resolved","body":")" + text(10'000, "ä") + "\"}", ""},
    {"create_incident", R"({"name":"n","status":"resolved","body":")" + text(10'001) + "\"}", "/body"},
    {"create_incident", R"({"name":"n","status":"scheduled","body":""})", "/status,/body"},
    {"create_incident", R"({"name":"n","status":"postmortem","body":"b"})", "/status"},
    {"create_incident", incident(R"("impact":"huge","startedAt":"today")"), "/impact,/startedAt"},
    {"create_incident", incident(R"("components":[{"id":")" + id + R"(6f70","status":"partial_outage"}])"), ""},
    {"create_incident", incident(R"("components":[{"id":"x","status":"unknown"},{}])"),
     "/components/0/id,/components/0/status,/components/1/id,/components/1/status"},
    {"update_incident", R"({"impact":"critical","components":[]})", ""},
    {"update_incident", R"({"status":"resolved","startedAt":null})", "/status,/startedAt"},
    {"update_incident", "{}", "."},
    {"create_incident_update", R"({"body":"b","status":"postmortem","displayAt":null})", ""},
    {"create_incident_update", R"({"body":"b"})", "/status"},
    {"create_incident_update", R"({"body":"b","status":"scheduled"})", "/status"},
    {"update_incident_update", R"({"body":"b"})", ""},
    {"update_incident_update", R"({"status":"resolved"})", "/status"},
    {"update_incident_update", "{}", "."},
};

}  // namespace svc::http::bodies
