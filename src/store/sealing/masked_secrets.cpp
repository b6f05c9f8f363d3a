#include "store/sealing/masked_secrets.hpp"

#include "store/sealing/project_key.hpp"

#include <boost/json.hpp>

#include <utility>

namespace svc::store {

std::string pointer_to_header(std::string_view name) {
  std::string out = "/headers/";
  for (char const c : name) out += c == '~' ? std::string("~0") : std::string(1, c);
  return out;
}

result<split_config> move_secrets_out(boost::json::object wanted, split_config const& stored,
                                      std::string_view moved_from, secret_walk const& each) {
  split_config out;
  std::vector<field_error> wrong;
  each(wanted, [&](std::string const& pointer, boost::json::value& value) {
    auto const* const kept = stored.secrets.if_contains(pointer);
    if (value != boost::json::value(secret_mask)) {
      out.secrets[pointer] = std::exchange(value, secret_mask);
    } else if (kept == nullptr) {
      wrong.push_back({"/config" + pointer, "is the mask of a secret that is not stored"});
    } else if (!moved_from.empty()) {
      wrong.push_back({"/config" + pointer,
                       "must be given again or removed: it was given for the old " + std::string(moved_from)});
    } else {
      out.secrets[pointer] = *kept;
    }
  });
  if (!wrong.empty()) return error(errc::validation_failed, "The config cannot be used.", std::move(wrong));
  out.shown = std::move(wanted);
  return out;
}

boost::json::object put_secrets_back(split_config config, secret_walk const& each) {
  each(config.shown, [&](std::string const& pointer, boost::json::value& value) {
    if (auto const* const secret = config.secrets.if_contains(pointer)) value = *secret;
  });
  return std::move(config.shown);
}

byte_vector seal_secrets(byte_view key, boost::json::object const& secrets, uuid project, uuid id) {
  secret_string const plain(boost::json::serialize(secrets));
  return seal_bytes(key, plain.reveal(), place_of(project, id));
}

boost::json::object open_secrets(byte_view key, byte_view sealed, uuid project, uuid id, std::string_view whose) {
  auto const plain = open_bytes(key, sealed, place_of(project, id));
  if (!plain) {
    throw unavailable("the sealed config of " + std::string(whose) + " " + id.to_string() + " does not open");
  }
  return boost::json::parse(plain->reveal()).as_object();
}

}  // namespace svc::store
