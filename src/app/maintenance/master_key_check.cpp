#include "app/maintenance/master_key_check.hpp"

#include "app/configuration/file_warnings.hpp"
#include "svc/core/joined.hpp"
#include "svc/core/log.hpp"
#include "svc/core/spawn_task.hpp"

#include <algorithm>
#include <stdexcept>

namespace svc::app {
namespace {

constexpr std::chrono::seconds compare_interval{60};
constexpr std::chrono::seconds compare_patience{2};

}  // namespace

std::string missing_master_keys::sentence(std::string const& file) const {
  if (data_keys == 0) return {};
  return file + " lacks the master key " + joined(ids, ", ") + ", which wraps the data keys of " +
         std::to_string(data_keys) + (data_keys == 1 ? " project" : " projects") +
         ": their secrets cannot be read. Add the key as a further line, from its backup";
}

missing_master_keys find_missing(std::vector<store::master_key_use> const& uses,
                                 std::vector<std::string> const& held) {
  missing_master_keys out;
  for (auto const& use : uses) {
    if (std::ranges::find(held, use.id) != held.end()) continue;
    out.data_keys += use.data_keys;
    out.ids.push_back(use.id);
  }
  std::ranges::sort(out.ids);
  return out;
}

master_key_check::master_key_check(parts parts)
    : parts_(std::move(parts)),
      missing_(parts_.counters.make_gauge("svc_master_key_missing",
                                          "Projects whose data key no key of master_key_file opens")) {}

void master_key_check::start() {
  if (auto const warning = warn_of_readers(parts_.file); !warning.empty())
    log::warn("the master key is not kept secret", {{"reason", warning}});
  auto const loop = parts_.loops.start("master_key_check", compare_interval, this, &master_key_check::compare);
  spawn_task(parts_.loops.io, attempt(loop, compare()));
}

task<> master_key_check::compare() {
  auto const uses = co_await store::master_key_uses(parts_.db, deadline::after(compare_patience));
  std::string sentence;
  std::int64_t count = 0;
  try {
    auto const found = find_missing(uses, master_keys::from_file(parts_.file).ids());
    sentence = found.sentence(parts_.file);
    count = found.data_keys;
  } catch (std::runtime_error const& e) {
    sentence = e.what();
  }
  missing_.set(static_cast<double>(count));
  if (sentence == said_) co_return;
  if (!sentence.empty())
    log::error("the master key file does not match the database", {{"reason", sentence}});
  else
    log::info("the master key file matches the database");
  said_ = sentence;
  parts_.show(std::move(sentence));
}

}  // namespace svc::app
