#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace svc::test {

/// Compares the part of a page between `<!-- NAME: generated -->` and `<!-- NAME: end -->` with the text from the
/// sources; when REWRITE_PAGES is set, writes it first.
inline void check_generated_part(std::string const& path, std::string const& name, std::string const& expected) {
  std::ifstream file(path, std::ios::binary);
  std::string page{std::istreambuf_iterator<char>(file), {}};
  std::string const begin = "<!-- " + name + ": generated -->\n\n";
  std::string const end = "\n<!-- " + name + ": end -->";
  auto const first = page.find(begin);
  auto const last = page.find(end, first == std::string::npos ? 0 : first + begin.size() - 1);
  if (first == std::string::npos || last == std::string::npos)
    throw std::runtime_error(path + " has no part " + name);
  auto const start = first + begin.size();
  auto const found = last < start ? std::string() : page.substr(start, last - start);
  if (std::getenv("REWRITE_PAGES") != nullptr && found != expected) {
    page.replace(start, last < start ? 0 : last - start, expected);
    std::ofstream(path, std::ios::binary) << page;
    return;
  }
  INFO(path, " is out of date: run its unit test with REWRITE_PAGES=1");
  CHECK(found == expected);
}

}  // namespace svc::test
