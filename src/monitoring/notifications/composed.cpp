#include "monitoring/notifications/composed.hpp"

#include "monitoring/notifications/wording.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace svc::notifications {

namespace {

/// Room for the line that counts the rest, escaped.
constexpr std::size_t counting_line = 40;

void replace(std::string& in, std::string_view what, std::string_view by) {
  for (auto at = in.find(what); at != std::string::npos; at = in.find(what, at + by.size()))
    in.replace(at, what.size(), by);
}

std::string counting(std::size_t rest) {
  return "… and " + std::to_string(rest) + " more";
}

/// `[DOWN] 12, [UP] 3`: each tag with how many alerts have it, in their order.
std::string digest_title(std::vector<alert> const& all) {
  std::vector<std::pair<std::string_view, std::size_t>> counts;
  for (auto const& one : all) {
    auto const tag = tag_of(one);
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

void add_facts(std::vector<std::string>& lines, alert const& of, std::string const& project) {
  if (!of.about.address.empty()) lines.push_back("Target: " + cut(one_line(of.about.address), 2048));
  if (of.result && of.result->status_code) lines.push_back("Status code: " + std::to_string(*of.result->status_code));
  if (of.result && of.result->response_time_ms)
    lines.push_back("Response time: " + std::to_string(*of.result->response_time_ms) + " ms");
  std::string places;
  for (auto const& one : of.locations) places += (places.empty() ? "" : ", ") + one_line(one);
  if (places.empty() && of.result) places = one_line(of.result->location);
  if (!places.empty()) lines.push_back("Seen from: " + cut(places, 500));
  if (!project.empty()) lines.push_back("Project: " + project);
}

composed one_alert(alert const& of, std::string const& project) {
  composed out;
  out.title = "[" + std::string(tag_of(of)) + "] " + name_in_text(of.about);
  out.lines.push_back(sentence_of(of));
  if (!of.custom_message.empty()) out.lines.push_back(several_lines(cut(of.custom_message, 8000)));
  add_facts(out.lines, of, project);
  return out;
}

composed several_alerts(std::vector<alert> const& all, std::string const& project) {
  composed out;
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
  for (auto const& one : all) {
    auto const is = severity_of(one);
    if (is == "critical") return is;
    if (is == "warning") out = is;
  }
  return out;
}

}  // namespace

std::vector<alert> merged(std::vector<alert> all) {
  std::map<uuid, outage_facts> over;
  for (auto const& one : all) {
    if (one.type == alert_type::monitor_recovery && one.outage) over.emplace(one.outage->id, *one.outage);
  }
  // Of an outage whose end is told here too: its failure tells both, its reminders nothing.
  std::set<uuid> told;
  std::erase_if(all, [&](alert& one) {
    if (one.type != alert_type::monitor_failure || !one.outage) return false;
    auto const end = over.find(one.outage->id);
    if (end == over.end()) return false;
    one.outage = end->second;
    return one.reminder > 0 || !told.insert(one.outage->id).second;
  });
  std::erase_if(all, [&](alert const& one) {
    return one.type == alert_type::monitor_recovery && one.outage && told.contains(one.outage->id);
  });
  std::vector<alert> out;
  for (bool const bad : {true, false})
    std::ranges::copy_if(all, std::back_inserter(out), [bad](alert const& one) { return is_bad(one) == bad; });
  return out;
}

std::string link_to(alert const& of, text_settings const& how) {
  auto out = how.link;
  replace(out, "{type}", name_of(of.about.is));
  replace(out, "{id}", of.about.id.to_string());
  return out;
}

composed compose(message const& of, text_settings const& how) {
  auto const all = merged(of.alerts);
  auto const project = cut(one_line(of.project.name), 255);
  auto out = all.size() == 1 ? one_alert(all.front(), project) : several_alerts(all, project);
  if (of.test) out.title = "[TEST] " + out.title;
  out.severity = worst_of(all);
  out.bad = std::ranges::any_of(all, is_bad);
  if (all.size() == 1 && !of.test) out.link = link_to(all.front(), how);
  return out;
}

std::vector<std::string> lines_that_fit(composed const& of, std::size_t most_units, escape with,
                                        std::size_t most_in_line) {
  std::vector<std::string> out;
  auto room = most_units - std::min(most_units, counting_line);
  auto rest = of.unnamed;
  for (std::size_t i = 0; i < of.lines.size(); ++i) {
    auto line = fitted(of.lines[i], std::min(room, most_in_line), with);
    if (of.digest && line != escaped(of.lines[i], with)) {
      rest += of.lines.size() - i;
      break;
    }
    room -= std::min(room, units_of(line) + 1);
    if (!line.empty()) out.push_back(std::move(line));
  }
  if (rest > 0) out.push_back(counting(rest));
  return out;
}

}  // namespace svc::notifications
