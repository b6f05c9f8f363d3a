#include "api/tag_json.hpp"

#include "api/checked_body.hpp"

namespace svc::api {

boost::json::object tag_json(tag const& of) {
  return {{"id", of.id.to_string()},
          {"name", of.set.name},
          {"color", of.set.color},
          {"createdAt", to_rfc3339(of.created_at)},
          {"updatedAt", to_rfc3339(of.updated_at)}};
}

tag_settings read_tag(boost::json::object const& body) {
  tag_settings out{.name = std::string(body.at("name").as_string())};
  out.color = text_in(body, "color").value_or(out.color);
  return out;
}

result<tag_settings> patch_tag(http::body_validator& contract, tag const& current, boost::json::object const& patch) {
  auto const merged =
      patched(contract, "CreateTag", {{"name", current.set.name}, {"color", current.set.color}}, patch);
  if (!merged) return merged.error();
  return read_tag(*merged);
}

}  // namespace svc::api
