#include "app/process/contracts.hpp"

#include "svc/api/handlers.hpp"
#include "svc/runner_api/runner_api.hpp"

namespace svc::app {

std::shared_ptr<http::contract const> load_public_contract() {
  auto contract = http::contract::load(embedded::openapi_json);
  api::handlers().check(*contract);
  return contract;
}

std::shared_ptr<http::contract const> load_internal_contract() {
  auto contract = http::contract::load(embedded::internal_json);
  runner_api::handlers().check(*contract);
  return contract;
}

}  // namespace svc::app
