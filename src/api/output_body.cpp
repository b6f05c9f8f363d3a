#include "api/output_body.hpp"

namespace svc::api {

http::body_stream::piece output_body::next() {
  auto shown = std::make_shared<std::string>();
  bool more = true;
  // Events that are no lines show nothing, and an empty piece would mean that there is nothing to send now.
  while (more && shown->empty()) more = printer_.step(*shown, piece_size);
  return {.bytes = *shown, .keep = shown, .last = !more};
}

}  // namespace svc::api
