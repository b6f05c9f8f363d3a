#include "svc/http/contract.hpp"

#include "http/contract_operations.hpp"
#include "http/contract_schema.hpp"
#include "http/router.hpp"
#include "svc/http/json.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace svc::http {
namespace {

namespace json = boost::json;

/// One document of a contract. It is kept because the schemas refer to it.
struct contract_document {
  explicit contract_document(json::value text) : document(std::move(text)), schemas(document) {}

  json::value document;
  schema_set schemas;
};

/// Reads the operations of all documents into one table. Positions count over all of them.
operation_table read_documents(std::vector<std::unique_ptr<contract_document>>& documents) {
  operation_table all;
  for (auto& each : documents) {
    auto table = read_operations(each->document, each->schemas);
    for (auto& op : table.operations) {
      auto const same = [&](operation const& other) { return other.id == op.id; };
      if (std::any_of(all.operations.begin(), all.operations.end(), same))
        throw std::runtime_error("contract: operationId " + op.id + " is used twice");
      op.index = all.operations.size();
      all.operations.push_back(std::move(op));
    }
    for (auto& rules : table.rules) all.rules.push_back(std::move(rules));
  }
  return all;
}

/// Everything is built in order from the documents.
class loaded_contract final : public contract {
 public:
  explicit loaded_contract(std::vector<std::unique_ptr<contract_document>> documents)
      : documents_(std::move(documents)), table_(read_documents(documents_)), router_(table_) {
    for (auto const& each : documents_)
      for (auto& code : read_codes(each->document.at("x-common-errors"), "/x-common-errors"))
        if (std::find(common_errors_.begin(), common_errors_.end(), code) == common_errors_.end())
          common_errors_.push_back(std::move(code));
    check_names();
  }

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
  schema const* component(std::string_view name) const {
    for (auto const& each : documents_)
      if (auto const* const found = each->schemas.component(name)) return found;
    return nullptr;
  }

 private:
  /// `component` finds the first schema of a name, so the others must be the same.
  void check_names() const {
    for (std::size_t i = 1; i < documents_.size(); ++i)
      for (auto const& [name, content] : documents_[i]->document.at("components").at("schemas").get_object())
        for (std::size_t j = 0; j < i; ++j) {
          auto const* const other =
              documents_[j]->document.at("components").at("schemas").get_object().if_contains(name);
          if (other != nullptr && *other != content)
            throw std::runtime_error("contract: two schemas are named " + std::string(name));
        }
  }

  std::vector<std::unique_ptr<contract_document>> documents_;
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
  return load(std::vector{text});
}

std::shared_ptr<contract const> contract::load(std::vector<std::string_view> const& texts) {
  std::vector<std::unique_ptr<contract_document>> documents;
  for (auto const text : texts) {
    json::error_code failed;
    auto document = json::parse(text, failed);
    if (failed) throw std::runtime_error("contract: no JSON: " + failed.message());
    check_grammar(document);
    documents.push_back(std::make_unique<contract_document>(std::move(document)));
  }
  return std::make_shared<loaded_contract const>(std::move(documents));
}

std::unique_ptr<body_validator> body_validator::make(std::shared_ptr<contract const> contract) {
  auto loaded = std::dynamic_pointer_cast<loaded_contract const>(std::move(contract));
  if (!loaded) throw std::logic_error("body_validator: not a loaded contract");
  return std::make_unique<schema_body_validator>(std::move(loaded));
}

}  // namespace svc::http
