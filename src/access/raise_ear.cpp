#include "svc/access/raise_ear.hpp"

#include "svc/domain/subject_key.hpp"

#include <charconv>

namespace svc::access {
namespace {

/// As the scripts name it.
constexpr auto raised_channel = "svc:raised";

}  // namespace

std::optional<subject_epoch> read_raise(std::string_view payload) {
  auto const brace = payload.find('{'), end = payload.find('}');
  auto const space = payload.find(' ');
  if (brace == payload.npos || end == payload.npos || space == payload.npos || end < brace) return std::nullopt;
  auto const subject = uuid::parse(payload.substr(brace + 1, end - brace - 1));
  if (!subject || payload.substr(0, space) != epoch_key(subject->to_string())) return std::nullopt;
  subject_epoch out{*subject, 0};
  auto const digits = payload.substr(space + 1);
  auto const [at, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), out.epoch);
  if (ec != std::errc() || at != digits.data() + digits.size() || out.epoch < 0) return std::nullopt;
  return out;
}

raise_ear::raise_ear(asio::io_context& io, redis::settings where,
                     std::function<void(std::vector<subject_epoch> const&)> heard)
    : ear_(io, std::move(where), *this), heard_(std::move(heard)) {}

void raise_ear::start() {
  ear_.start();
  ear_.subscribe(raised_channel);
}

void raise_ear::stop() {
  ear_.stop();
}

void raise_ear::on_message(std::string_view, std::string_view payload) {
  if (auto const raised = read_raise(payload)) heard_({*raised});
}

}  // namespace svc::access
