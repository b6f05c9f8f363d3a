#include "store/runs/job_plan.hpp"

#include "store/runs/new_run_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <stdexcept>

namespace svc::store {
namespace {

constexpr auto read_jobs_sql = sql(R"(
SELECT coalesce(j.version, 0), planned.version, j.name, j.job_type, j.enabled, j.timeout_seconds,
       j.max_concurrent_runs IS NOT NULL, j.parameters, planned.tests, planned.count
  FROM unnest((SELECT $1::uuid[]), (SELECT $2::uuid[])) WITH ORDINALITY a (project_id, id, place)
  LEFT JOIN jobs j ON j.project_id = a.project_id AND j.id = a.id AND j.deleted_at IS NULL
 CROSS JOIN LATERAL ()",
                                   planned_tests, R"() planned
 ORDER BY a.place)");
constexpr postgres::statement read_jobs{"trigger_plans", read_jobs_sql};

boost::json::object read_object(std::string const& text) {
  boost::system::error_code failed;
  boost::json::value read = boost::json::parse(text, failed);
  if (failed || !read.is_object()) throw std::logic_error("parameters that are not a JSON object");
  return std::move(read.get_object());
}

error wrong_parameters(job_plan const& plan, boost::json::object const& given) {
  std::vector<field_error> undeclared, missing;
  for (auto const& [name, value] : given)
    if (std::ranges::find(plan.parameters, name, &declared_parameter::name) == plan.parameters.end())
      undeclared.push_back({"/parameters/" + std::string(name), "is not declared by the job"});
  for (auto const& p : plan.parameters)
    if (p.required && !p.fallback && !given.contains(p.name))
      missing.push_back({"/parameters/" + p.name, "is required"});
  std::ranges::sort(undeclared, {}, &field_error::field);
  std::ranges::sort(missing, {}, &field_error::field);
  std::ranges::move(missing, std::back_inserter(undeclared));
  return {errc::validation_failed, "The parameters do not fit the job.", std::move(undeclared)};
}

boost::json::object defaults_of(std::vector<declared_parameter> const& declared) {
  boost::json::object out;
  for (auto const& p : declared)
    if (p.fallback) out[p.name] = *p.fallback;
  return out;
}

shared_plan read_plan(postgres::row r, job_key const& key) {
  auto made = std::make_shared<job_plan>();
  made->key = key;
  made->version = r.integer(0);
  if (!made->exists()) return made;
  made->tests_version = r.integer(1);
  made->name = r.text(2);
  made->job_type = r.text(3);
  made->enabled = r.boolean(4);
  made->timeout_seconds = r.integer(5);
  made->limited = r.boolean(6);
  made->parameters = read_declared(r.text(7));
  made->defaults = boost::json::serialize(defaults_of(made->parameters));
  made->tests = r.text(8);
  made->test_count = r.integer(9);
  return made;
}

}  // namespace

std::size_t job_plan::size() const {
  std::size_t out = sizeof(job_plan) + name.size() + job_type.size() + defaults.size() + tests.size();
  for (auto const& p : parameters) out += sizeof p + p.name.size() + p.fallback.value_or(std::string()).size();
  return out;
}

result<std::string> plan_run(job_plan const& plan, std::string const& given) {
  if (!plan.exists()) return errc::not_found;
  if (!plan.enabled) return errc::job_disabled;
  if (plan.test_count == 0) return errc::job_has_no_tests;
  boost::json::object const named = given == "{}" ? boost::json::object() : read_object(given);
  auto wrong = wrong_parameters(plan, named);
  if (!wrong.details.empty()) return wrong;
  if (named.empty()) return plan.defaults;
  boost::json::object merged = defaults_of(plan.parameters);
  for (auto const& [name, value] : named) merged[name] = value;
  return boost::json::serialize(merged);
}

std::vector<declared_parameter> read_declared(std::string_view text) {
  std::vector<declared_parameter> out;
  boost::json::value const declared = boost::json::parse(text);
  for (auto const& value : declared.as_array()) {
    auto const& p = value.as_object();
    auto const* required = p.if_contains("required");
    auto const* fallback = p.if_contains("default");
    declared_parameter made{std::string(p.at("name").as_string()), required != nullptr && *required == true};
    if (fallback != nullptr && fallback->is_string()) made.fallback = std::string(fallback->get_string());
    out.push_back(std::move(made));
  }
  return out;
}

task<std::vector<shared_plan>> read_plans(postgres::pool& db, std::vector<job_key> keys, deadline until) {
  postgres::query ask{read_jobs,
                      postgres::parameters(postgres::column<uuid>(keys, [](job_key const& k) { return k.project; }),
                                           postgres::column<uuid>(keys, [](job_key const& k) { return k.job; }))};
  postgres::rows const found = settled(co_await db.run(std::move(ask), until));
  std::vector<shared_plan> out;
  for (std::size_t i = 0; i < keys.size(); ++i) out.push_back(read_plan(found[static_cast<int>(i)], keys[i]));
  co_return out;
}

shared_plan plan_cache::find(job_key const& key) {
  auto const known = positions_.find(key);
  if (known == positions_.end()) return nullptr;
  plans_.splice(plans_.begin(), plans_, known->second);
  return plans_.front();
}

void plan_cache::keep(shared_plan plan) {
  if (!plan->exists()) return;
  if (auto const known = positions_.find(plan->key); known != positions_.end()) drop(known->second);
  bytes_ += plan->size();
  plans_.push_front(std::move(plan));
  positions_[plans_.front()->key] = plans_.begin();
  while (bytes_ > most_) drop(std::prev(plans_.end()));
}

void plan_cache::remove(job_plan const& stale) {
  auto const known = positions_.find(stale.key);
  if (known != positions_.end() && known->second->get() == &stale) drop(known->second);
}

void plan_cache::drop(recent::iterator entry) {
  bytes_ -= (*entry)->size();
  positions_.erase((*entry)->key);
  plans_.erase(entry);
}

}  // namespace svc::store
