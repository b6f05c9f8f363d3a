#include "arguments.hpp"

#include <cstdio>
#include <exception>
#include <stdexcept>

namespace svc::bench {

arguments::arguments(int argc, char const* const* argv) {
  for (int i = 1; i < argc; i += 2) {
    std::string const name = argv[i];
    if (!name.starts_with("--") || i + 1 == argc) throw std::runtime_error("give --name value pairs, not " + name);
    given_[name.substr(2)].emplace_back(argv[i + 1]);
  }
}

std::string arguments::text(std::string const& name, std::string const& otherwise) const {
  auto const found = given_.find(name);
  return found == given_.end() ? otherwise : found->second.back();
}

std::string arguments::needed(std::string const& name) const {
  if (!given_.contains(name)) throw std::runtime_error("--" + name + " is missing");
  return given_.at(name).back();
}

double arguments::number(std::string const& name, double otherwise) const {
  return given_.contains(name) ? std::stod(given_.at(name).back()) : otherwise;
}

std::vector<std::string> arguments::all(std::string const& name) const {
  auto const found = given_.find(name);
  return found == given_.end() ? std::vector<std::string>() : found->second;
}

address parse_url(std::string const& url) {
  std::string const scheme = "https://";
  if (!url.starts_with(scheme)) throw std::runtime_error("not an https URL: " + url);
  auto const slash = url.find('/', scheme.size());
  auto const authority = url.substr(scheme.size(), slash - scheme.size());
  auto const colon = authority.rfind(':');
  if (colon == std::string::npos) throw std::runtime_error("no port in " + url);
  return {authority.substr(0, colon), authority.substr(colon + 1),
          slash == std::string::npos ? "/" : url.substr(slash)};
}

int run_program(int argc, char const* const* argv, char const* name, char const* usage,
                int (*run)(arguments const&)) {
  try {
    return run(arguments(argc, argv));
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s: %s\n%s", name, e.what(), usage);
    return 2;
  }
}

}  // namespace svc::bench
