#include "svc/domain/instance.hpp"

#include <algorithm>

namespace svc {
namespace {

/// The text before the next blank, which is taken off the front with it.
std::string take_word(std::string_view& text) {
  auto const end = std::min(text.find(' '), text.size());
  std::string out(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return out;
}

}  // namespace

std::string to_text(instance_identity const& identity) {
  return identity.id.to_string() + ' ' + identity.version + ' ' + identity.commit + ' ' + identity.host + ' ' +
         identity.address;
}

std::optional<instance_identity> read_instance(std::string_view text) {
  auto const id = uuid::parse(take_word(text));
  if (!id) return std::nullopt;
  instance_identity out{.id = *id};
  for (auto* word : {&out.version, &out.commit, &out.host}) *word = take_word(text);
  out.address = text;
  return out;
}

}  // namespace svc
