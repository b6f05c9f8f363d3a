#include "svc/http/contract.hpp"

#include "http/contract_operations.hpp"
#include "http/contract_schema.hpp"
#include "http/router.hpp"
#include "svc/http/json.hpp"

#include <stdexcept>
#include <utility>

namespace svc::http {
namespace {

namespace json = boost::json;

/// Everything is built in order from the document, which is kept because the parts refer to it.
class loaded_contract final : public contract {
 public:
  explicit loaded_contract(json::value document)
      : document_(std::move(document)),
        schemas_(document_),
        table_(read_operations(document_, schemas_)),
        common_errors_(read_codes(document_.at("x-common-errors"), "/x-common-errors")),
        router_(table_) {}

  std::vector<operation> const& operations() const override { return table_.operations; }
  std::vector<std::string> const& common_errors() const override { return common_errors_; }

  route find(std::string_view method, std::vector<std::string> const& segments) const override {
    return router_.find(method, segments);
  }

  result<parameter_list> check_query(operation const& op,
                                     std::vector<std::pair<std::string, std::string>> const& query) const override {
    return http::check_query(table_.rules[op.index].query, op.lenient_query, query);
  }

  schema const* body(operation const& op) const { return table_.rules[op.index].body; }
  schema const* component(std::string_view name) const { return schemas_.component(name); }

 private:
  json::value document_;
  schema_set schemas_;
  operation_table table_;
  std::vector<std::string> common_errors_;
  router router_;
};

class schema_body_validator final : public body_validator {
 public:
  explicit schema_body_validator(std::shared_ptr<loaded_contract const> contract) : contract_(std::move(contract)) {}

  result<> check(operation const& op, json::value const& body) override {
    auto const* const rule = contract_->body(op);
    return rule == nullptr ? result<>() : answer(validate(*rule, body, {}));
  }

  schema const* shape(operation const& op) const override { return contract_->body(op); }

  result<> check_schema(std::string_view name, json::value const& value, std::string_view pointer) override {
    auto const* const rule = contract_->component(name);
    if (rule == nullptr) throw std::logic_error("no schema " + std::string(name) + " in the contract");
    return answer(validate(*rule, value, pointer));
  }

 private:
  static result<> answer(std::vector<field_error> faults) {
    if (faults.empty()) return {};
    return error(errc::validation_failed, {}, std::move(faults));
  }

  std::shared_ptr<loaded_contract const> contract_;
};

}  // namespace

std::shared_ptr<contract const> contract::load(std::string_view text) {
  json::error_code failed;
  auto document = json::parse(text, failed);
  if (failed) throw std::runtime_error("contract: no JSON: " + failed.message());
  check_grammar(document);
  return std::make_shared<loaded_contract const>(std::move(document));
}

std::unique_ptr<body_validator> body_validator::make(std::shared_ptr<contract const> contract) {
  auto loaded = std::dynamic_pointer_cast<loaded_contract const>(std::move(contract));
  if (!loaded) throw std::logic_error("body_validator: not a loaded contract");
  return std::make_unique<schema_body_validator>(std::move(loaded));
}

}  // namespace svc::http
