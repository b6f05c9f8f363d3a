#include "svc/redis/inquiry.hpp"

#include "redis/handshake.hpp"

#include <exception>
#include <optional>

namespace svc::redis {
namespace {

std::vector<handshake_step> question_steps(settings const& where, std::string const& database,
                                           std::vector<std::vector<std::string>> const& questions) {
  auto steps = handshake_steps(where, database, {});
  std::erase_if(steps, [](auto const& step) { return step.name == role_step.name; });
  for (auto const& words : questions) steps.push_back({words.front(), {words.begin(), words.end()}, {}, true});
  return steps;
}

task<handshake_result> ask_all(asio::io_context& io, settings const& where, address address, tls_context const* tls,
                               std::vector<handshake_step> steps) {
  auto const inquiry_transport = std::make_shared<transport>(io, where, std::move(address), tls);
  auto said = co_await converse(io, inquiry_transport, std::move(steps), where.connect_timeout);
  inquiry_transport->close();
  co_return said;
}

}  // namespace

task<inquiry> inquire(asio::io_context& io, settings where, address address,
                      std::vector<std::vector<std::string>> questions) {
  std::optional<tls_context> tls;
  inquiry out;
  try {
    if (where.tls) tls.emplace(where.tls_ca_file);
  } catch (std::exception const& e) {
    out.fault = e.what();
    co_return out;
  }
  auto const database = std::to_string(where.database);
  auto said = co_await ask_all(io, where, std::move(address), tls ? &*tls : nullptr,
                               question_steps(where, database, questions));
  out.fault = std::move(said.fault);
  if (!out.fault.empty()) co_return out;
  auto const first = said.got.size() - questions.size();
  for (std::size_t i = first; i < said.got.size(); ++i) out.replies.push_back(std::move(said.got[i].value));
  co_return out;
}

settings settings_for(sentinel_settings const& sentinels, address const& sentinel) {
  settings out;
  out.host = sentinel.host;
  out.port = sentinel.port;
  out.tls = sentinels.tls;
  out.tls_ca_file = sentinels.tls_ca_file;
  out.username = sentinels.username;
  out.password = sentinels.password;
  out.connect_timeout = sentinels.deadline;
  return out;
}

}  // namespace svc::redis
