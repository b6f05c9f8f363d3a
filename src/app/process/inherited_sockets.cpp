#include "app/process/inherited_sockets.hpp"

#include "app/process/service_manager.hpp"
#include "svc/core/joined.hpp"
#include "svc/core/numbers.hpp"
#include "svc/net/listener.hpp"

#include <unistd.h>

#include <algorithm>
#include <stdexcept>

namespace svc::app {
namespace {

constexpr int first_descriptor = 3;  // SD_LISTEN_FDS_START
constexpr int most_descriptors = 64;

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  for (bool more = !text.empty(); more;) {
    auto const end = text.find(':');
    out.emplace_back(text.substr(0, end));
    more = end != std::string_view::npos;
    if (more) text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace

std::vector<inherited_socket> read_inherited(activation const& notified, long self) {
  if (parse_number<long>(notified.pid) != self || notified.count.empty()) return {};
  auto const count = parse_number<int>(notified.count);
  if (!count || *count < 0 || *count > most_descriptors)
    throw std::runtime_error("LISTEN_FDS must be a number up to " + std::to_string(most_descriptors));
  auto names = split(notified.names);
  // A manager that passes no names expects the program to know the sockets by their order. This program does not.
  if (names.empty()) names.assign(static_cast<std::size_t>(*count), "unknown");
  if (names.size() != static_cast<std::size_t>(*count))
    throw std::runtime_error("LISTEN_FDNAMES must have as many names as LISTEN_FDS says");
  std::vector<inherited_socket> out;
  for (int i = 0; i < *count; ++i)
    out.push_back({std::move(names[static_cast<std::size_t>(i)]), first_descriptor + i});
  return out;
}

std::vector<inherited_socket> take_inherited() {
  auto const pid = take_variable("LISTEN_PID"), count = take_variable("LISTEN_FDS"),
             names = take_variable("LISTEN_FDNAMES");
  return read_inherited({pid, count, names}, ::getpid());
}

std::vector<std::string> listener_names(configuration const& config) {
  std::vector<std::string> out;
  int counts[2] = {0, 0};
  for (auto const& each : config.listeners) {
    bool const internal = each.kind == listener_kind::internal_api;
    int const number = ++counts[internal ? 1 : 0];
    out.push_back(internal ? "internal" : "public");
    if (number > 1) out.back() += "-" + std::to_string(number);
  }
  out.emplace_back("admin");
  return out;
}

std::vector<int> descriptors_for(std::vector<std::string> const& names, std::vector<inherited_socket> const& all) {
  std::vector<int> out(names.size(), net::not_inherited);
  for (auto const& socket : all) {
    auto const found = std::ranges::find(names, socket.name);
    auto const expected = "; expected: " + joined(names, ", ") + " (FileDescriptorName= of the socket unit)";
    if (found == names.end())
      throw std::runtime_error("the inherited socket \"" + socket.name + "\" belongs to no listener" + expected);
    auto& location = out[static_cast<std::size_t>(found - names.begin())];
    if (location != net::not_inherited)
      throw std::runtime_error("two inherited sockets are called \"" + socket.name + "\"" + expected);
    location = socket.descriptor;
  }
  return out;
}

}  // namespace svc::app
