#include "app/internal_service.hpp"

#include "svc/core/uuid.hpp"
#include "svc/http/error_table.hpp"

namespace svc::app {
namespace {

class internal_service final : public http::service {
 public:
  task<http::response> serve(http::request const&, http::body_source&) override {
    co_return failure(errc::route_not_found);
  }
  http::response refuse(error const& why, std::string_view) override {
    auto out = failure(why);
    out.close = true;
    return out;
  }

 private:
  static http::response failure(error const& why) {
    auto const request_id = uuid::generate_v7().to_string();
    auto out = http::error_response(why, request_id, false);
    out.set("X-Request-Id", request_id);
    return out;
  }
};

}  // namespace

std::unique_ptr<http::service> make_internal_service() {
  return std::make_unique<internal_service>();
}

}  // namespace svc::app
