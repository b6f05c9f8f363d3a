#include "svc/output/stream_places.hpp"

#include <string>

namespace svc::output {
namespace {

/// Who holds places, as part of its holder's key.
enum holder_kind : std::uint8_t { of_token, of_project };

error reached(std::string_view who, std::size_t most) {
  return {errc::stream_limit_reached, std::string(who) + " has " + std::to_string(most) +
                                          " streams open, the most it may have; close one first."};
}

}  // namespace

stream_places::place::~place() {
  if (of_ == nullptr) return;
  of_->counts_.give_back(token_);
  of_->counts_.give_back(project_);
  of_->all_.fetch_sub(1);
}

result<stream_places::place> stream_places::take(uuid const& token, uuid const& project) {
  auto const by_token = counts_.key_of(of_token, token.bytes);
  auto const by_project = counts_.key_of(of_project, project.bytes);
  // The narrowest first: nobody is told that others are many while it has too many itself.
  if (!counts_.take(by_token, limits_.token)) return reached("This token", limits_.token);
  if (!counts_.take(by_project, limits_.project)) {
    counts_.give_back(by_token);
    return reached("This project", limits_.project);
  }
  place taken(*this, by_token, by_project);
  if (all_.fetch_add(1) >= limits_.all) return reached("This instance", limits_.all);
  return taken;
}

}  // namespace svc::output
