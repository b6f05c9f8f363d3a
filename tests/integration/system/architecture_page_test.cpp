// The tables of threads and background loops in docs/architecture.md are those of a running instance.
#include "extra_instance.hpp"
#include "support/comes_true.hpp"
#include "support/metrics_page.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace svc::test {
namespace {

/// A row's first two columns, without the marks of code.
using row = std::pair<std::string, std::string>;

std::string cell(std::string const& line, std::size_t number) {
  std::size_t position = 1;
  for (std::size_t i = 0; i < number; ++i) position = line.find('|', position) + 1;
  auto out = line.substr(position, line.find('|', position) - position);
  std::erase(out, '`');
  while (out.starts_with(' ')) out.erase(0, 1);
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

/// Returns the rows below this head. An empty second column repeats the one above it.
std::set<row> documented_rows(std::string const& head) {
  std::ifstream page(SVC_SCHEMA_DIRECTORY "/../../docs/architecture.md");
  std::set<row> out;
  std::string second;
  bool in_table = false;
  for (std::string line; std::getline(page, line);) {
    if (line.empty()) in_table = false;
    if (in_table && !line.starts_with("|--")) {
      if (auto named = cell(line, 1); !named.empty()) second = std::move(named);
      out.emplace(cell(line, 0), second);
    }
    if (line.starts_with(head)) in_table = true;
  }
  return out;
}

std::string label(std::string const& line, std::string const& name) {
  auto const position = line.find(name + "=\"") + name.size() + 2;
  return line.substr(position, line.find('"', position) - position);
}

/// `checks-0` is `checks-N`.
std::string without_number(std::string const& name) {
  auto const dash = name.rfind('-');
  bool const numbered =
      dash != std::string::npos && std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dash) + 1, name.end(),
                                               [](unsigned char c) { return std::isdigit(c) != 0; });
  return numbered ? name.substr(0, dash) + "-N" : name;
}

/// Loops with their owners, as the metrics of an instance with two workers show them.
std::set<row> shown_loops(std::string const& page) {
  std::set<row> all;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("svc_background_still{")) all.emplace(label(line, "loop"), label(line, "worker"));
  std::set<row> out;
  for (auto const& [loop, owner] : all) {
    if (owner == "1")
      out.emplace(loop, "each worker");
    else if (owner == "0" && !all.contains({loop, "1"}))
      out.emplace(loop, "worker 0");
    else if (owner != "0")
      out.emplace(loop, without_number(owner));
  }
  return out;
}

TEST_CASE("each background loop has its row in docs/architecture.md, and each row its loop") {
  extra_instance const instance({"SVC_WORKERS=2"});
  auto const shown = shown_loops(instance.pages().get("/metrics").body);
  auto const documented = documented_rows("| loop |");
  for (auto const& each : shown) {
    CAPTURE(each.first);
    CAPTURE(each.second);
    CHECK(documented.contains(each));
  }
  for (auto const& each : documented) {
    CAPTURE(each.first);
    CAPTURE(each.second);
    CHECK(shown.contains(each));
  }
  CHECK(shown.size() > 30);
}

TEST_CASE("each thread of an instance has its row in docs/architecture.md") {
  extra_instance const instance({"SVC_WORKERS=2"});
  std::set<std::string> documented;
  for (auto const& each : documented_rows("| thread |")) documented.insert(each.first);
  std::size_t seen = 0;
  auto const tasks = "/proc/" + std::to_string(instance.pid()) + "/task";
  for (auto const& each : std::filesystem::directory_iterator(tasks)) {
    if (each.path().filename() == std::to_string(instance.pid())) continue;  // the first thread
    std::ifstream file(each.path() / "comm");
    std::string name;
    std::getline(file, name);
    CAPTURE(name);
    CHECK(documented.contains(without_number(name)));
    ++seen;
  }
  CHECK(seen >= 7);
}

}  // namespace
}  // namespace svc::test
