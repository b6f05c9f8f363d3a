#include "monitoring/notifications/composed.hpp"

#include "monitoring/notifications/wording.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace svc::notifications {

namespace {

/// Room for the line that counts the remaining alerts, escaped.
constexpr std::size_t counting_line = 40;

void replace(std::string& text, std::string_view pattern, std::string_view replacement) {
  for (auto sv = text.find(pattern); sv != std::string::npos; sv = text.find(pattern, sv + replacement.size()))
    text.replace(sv, pattern.size(), replacement);
}

std::string counting(std::size_t rest) {
  return "… and " + std::to_string(rest) + " more";
}

/// Returns `[DOWN] 12, [UP] 3`: each tag with its number of alerts, in the order of the alerts.
std::string digest_title(std::vector<alert> const& all) {
  std::vector<std::pair<std::string_view, std::size_t>> counts;
  for (auto const& alert : all) {
    auto const tag = tag_of(alert);
    auto const found = std::ranges::find(counts, tag, &std::pair<std::string_view, std::size_t>::first);
    if (found == counts.end())
      counts.emplace_back(tag, 1);
    else
      ++found->second;
  }
  std::string out;
  for (auto const& [tag, count] : counts) {
    if (!out.empty()) out += ", ";
    out.append("[").append(tag).append("] ").append(std::to_string(count));
  }
  return out;
}

void add_facts(std::vector<std::string>& lines, alert const& alert, std::string const& project) {
  if (!alert.about.address.empty()) lines.push_back("Target: " + cut(one_line(alert.about.address), 2048));
  if (alert.result && alert.result->status_code)
    lines.push_back("Status code: " + std::to_string(*alert.result->status_code));
  if (alert.result && alert.result->response_time_ms)
    lines.push_back("Response time: " + std::to_string(*alert.result->response_time_ms) + " ms");
  std::string paths;
  for (auto const& location : alert.locations) paths += (paths.empty() ? "" : ", ") + one_line(location);
  if (paths.empty() && alert.result) paths = one_line(alert.result->location);
  if (!paths.empty()) lines.push_back("Seen from: " + cut(paths, 500));
  if (!project.empty()) lines.push_back("Project: " + project);
}

composed_text one_alert(alert const& alert, std::string const& project) {
  composed_text out;
  out.title = "[" + std::string(tag_of(alert)) + "] " + name_in_text(alert.about);
  out.lines.push_back(sentence_of(alert));
  if (!alert.custom_message.empty()) out.lines.push_back(several_lines(cut(alert.custom_message, 8000)));
  add_facts(out.lines, alert, project);
  return out;
}

composed_text several_alerts(std::vector<alert> const& all, std::string const& project) {
  composed_text out;
  out.digest = true;
  out.title = digest_title(all) + (project.empty() ? "" : " in " + project);
  auto const named = std::min(all.size(), most_named);
  for (std::size_t i = 0; i < named; ++i)
    out.lines.push_back("[" + std::string(tag_of(all[i])) + "] " + cut(sentence_of(all[i]), 600));
  out.unnamed = all.size() - named;
  return out;
}

std::string_view worst_of(std::vector<alert> const& all) {
  std::string_view out = "info";
  for (auto const& alert : all) {
    auto const severity = severity_of(alert);
    if (severity == "critical") return severity;
    if (severity == "warning") out = severity;
  }
  return out;
}

}  // namespace

std::vector<alert> merged(std::vector<alert> all) {
  std::map<uuid, outage_facts> over;
  for (auto const& entry : all) {
    if (entry.type == alert_type::monitor_recovery && entry.outage) over.emplace(entry.outage->id, *entry.outage);
  }
  // The outages whose failure and recovery are both in the message. The failure then reports both, and the reminders
  // and the recovery are left out.
  std::set<uuid> notified;
  std::erase_if(all, [&](alert& element) {
    if (element.type != alert_type::monitor_failure || !element.outage) return false;
    auto const end = over.find(element.outage->id);
    if (end == over.end()) return false;
    element.outage = end->second;
    return element.reminder > 0 || !notified.insert(element.outage->id).second;
  });
  std::erase_if(all, [&](alert const& entry) {
    return entry.type == alert_type::monitor_recovery && entry.outage && notified.contains(entry.outage->id);
  });
  std::vector<alert> out;
  for (bool const bad : {true, false})
    std::ranges::copy_if(all, std::back_inserter(out), [bad](alert const& alert) { return is_bad(alert) == bad; });
  return out;
}

std::string link_to(alert const& alert, text_settings const& settings) {
  if (alert.about.state == alert_target::kind::status_page) return {};
  auto out = settings.link;
  replace(out, "{type}", name_of(alert.about.state));
  replace(out, "{id}", alert.about.id.to_string());
  return out;
}

composed_text compose(message const& message, text_settings const& settings) {
  auto const all = merged(message.alerts);
  auto const project = cut(one_line(message.project.name), 255);
  auto out = all.size() == 1 ? one_alert(all.front(), project) : several_alerts(all, project);
  if (message.test) out.title = "[TEST] " + out.title;
  out.severity = worst_of(all);
  out.bad = std::ranges::any_of(all, is_bad);
  if (all.size() == 1 && !message.test) out.link = link_to(all.front(), settings);
  return out;
}

std::vector<std::string> lines_that_fit(composed_text const& parts, std::size_t most_units, escape escape,
                                        std::size_t most_in_line) {
  std::vector<std::string> out;
  auto room = most_units - std::min(most_units, counting_line);
  auto rest = parts.unnamed;
  for (std::size_t i = 0; i < parts.lines.size(); ++i) {
    auto line = fitted(parts.lines[i], std::min(room, most_in_line), escape);
    if (parts.digest && line != escaped(parts.lines[i], escape)) {
      rest += parts.lines.size() - i;
      break;
    }
    room -= std::min(room, units_of(line) + 1);
    if (!line.empty()) out.push_back(std::move(line));
  }
  if (rest > 0) out.push_back(counting(rest));
  return out;
}

}  // namespace svc::notifications
