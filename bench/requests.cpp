#include "requests.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

namespace svc::bench {
namespace {

/// As long as a UUID, which clients usually send.
constexpr std::size_t key_length = 36;

std::string by_token(std::string const& token) {
  return "Authorization: Bearer " + token + "\r\n";
}

std::string by_session(std::string const& secret, std::string const& project) {
  return "Cookie: __Host-svc_session=" + secret + "\r\nSec-Fetch-Site: same-origin\r\nSvc-Project: " + project +
         "\r\n";
}

std::uint64_t draw() {
  std::random_device source;
  return std::uint64_t{source()} << 32 | source();
}

}  // namespace

request_rotation::request_rotation(arguments const& arguments, address const& where, std::string const& method,
                                   std::string const& option)
    : where_(where),
      body_(arguments.text("body", "")),
      headers_(arguments.all("header")),
      keyed_(arguments.text("idempotency", "no") == "yes"),
      series_(draw()) {
  auto const name = arguments.text(option, "");
  if (name.empty()) {
    add(arguments.text("method", method), where.target, "");
    return;
  }
  std::ifstream file(name);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string verb, target, secret, project;
    if (!(words >> verb >> target >> secret)) throw std::runtime_error("not METHOD TARGET TOKEN: " + line);
    words >> project;
    add(verb, target, project.empty() ? by_token(secret) : by_session(secret, project));
  }
  if (all_.empty()) throw std::runtime_error("no requests in " + name);
}

/// A request that is not pipelined: nothing follows it.
void request_rotation::add(std::string const& method, std::string const& target, std::string const& credential) {
  std::string text = method + " " + target + " HTTP/1.1\r\nHost: " + where_.host + ":" + where_.port +
                     "\r\nUser-Agent: bench\r\nAccept: */*\r\n";
  for (auto const& h : headers_) text += h + "\r\n";
  text += credential;
  std::size_t key_at = 0;
  if (keyed_) {
    text += "Idempotency-Key: ";
    key_at = text.size();
    text += std::string(key_length, '0') + "\r\n";
  }
  if (!body_.empty()) {
    text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body_.size()) + "\r\n";
  }
  all_.push_back({text + "\r\n" + body_, key_at});
}

std::string_view request_rotation::next() {
  auto& entry = all_[position_];
  position_ = (position_ + 1) % all_.size();
  if (keyed_) {
    std::array<char, key_length + 1> key;
    std::snprintf(key.data(), key.size(), "%016llx-%019llu", static_cast<unsigned long long>(series_),
                  static_cast<unsigned long long>(++keys_));
    std::copy_n(key.data(), key_length, entry.text.begin() + static_cast<std::ptrdiff_t>(entry.key_at));
  }
  return entry.text;
}

}  // namespace svc::bench
