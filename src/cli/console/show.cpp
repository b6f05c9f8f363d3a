#include "cli/console/show.hpp"

#include <boost/json/serialize.hpp>

namespace svc::cli {

boost::json::value const* member_of(boost::json::value const& in, std::string_view dotted) {
  auto const* const object = in.if_object();
  return object == nullptr ? nullptr : object->if_contains(dotted);
}
std::string json_text(boost::json::value const& value, bool /*pretty*/) {
  return boost::json::serialize(value);
}
void show_rows(console& to, std::span<boost::json::value const> rows, std::span<column const> /*columns*/,
               std::string_view /*id_member*/) {
  for (auto const& row : rows) to.data_line(json_text(row, false));
}
void show_object(console& to, boost::json::object const& object, std::span<column const> /*columns*/,
                 boost::json::value const* whole, std::string_view /*id_member*/) {
  to.data_line(json_text(whole != nullptr ? *whole : boost::json::value(object), false));
}

}  // namespace svc::cli
