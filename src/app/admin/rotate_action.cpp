#include "app/admin/actions.hpp"
#include "svc/store/sealing/key_rotation.hpp"

#include <iostream>

namespace svc::app::admin {

namespace {

result<master_keys> read_keys(std::string const& file) {
  if (file.empty()) return error(errc::validation_failed, "master_key_file must be set.");
  try {
    return master_keys::from_file(file);
  } catch (std::runtime_error const& e) {
    return error(errc::validation_failed, std::string(e.what()) + ".");
  }
}

/// Prints the progress for people to standard error; the answer itself goes to standard output.
void print_progress(std::int64_t done, std::int64_t all) {
  std::cerr << "svcd: rewrapped " + std::to_string(done) + " of " + std::to_string(all) + " data keys\n"
            << std::flush;
}

void tell_nothing_was_done(bool no_data_key) {
  std::cerr
      << (no_data_key
              ? "svcd: no project has a data key yet, so there was nothing to rewrap; the key of line 1 wraps "
                "the keys to come\n"
              : "svcd: the key of line 1 was in use already; to rotate, a new key must be the first line of the "
                "file. Keep a line that has a new key, also if it is listed as unused\n");
}

error not_complete(boost::json::array const& unreadable, std::int64_t left) {
  if (unreadable.empty()) {
    return {errc::validation_failed, std::to_string(left) +
                                         " data keys are still wrapped by another master key: another rotation is "
                                         "running, or an instance does not know the new key. Run it again."};
  }
  std::vector<field_error> which;
  for (auto const& project : unreadable)
    which.push_back({"project " + std::string(project.as_string()), "no key in the file opens its data key"});
  return {errc::validation_failed, "Some data keys could not be rewrapped; keep their master keys in the file.",
          std::move(which)};
}

}  // namespace

task<answer> rotate_master_key(session& s, arguments) {
  auto keys = read_keys(s.master_key_file);
  if (!keys) co_return keys.error();
  store::key_rotation rotation(s.db, *keys);
  std::int64_t const all = co_await rotation.left(s.patience());
  std::int64_t done = 0;
  boost::json::array unreadable;
  auto const uses = co_await store::master_key_uses(s.db, s.patience());
  for (bool last = false; !last;) {
    auto const step = co_await rotation.next(s.actor, s.patience());
    last = step.last;
    done += step.rewrapped;
    for (uuid const project : step.unreadable) unreadable.emplace_back(project.to_string());
    if (all > 0) print_progress(done, all);
  }
  std::int64_t const left = co_await rotation.left(s.patience());
  if (left > 0) co_return not_complete(unreadable, left);
  // The operator must not remove the first line, which all data keys need.
  boost::json::array unused;
  auto const ids = keys->ids();
  for (std::size_t line = 1; line < ids.size(); ++line)
    unused.emplace_back("line " + std::to_string(line + 1) + " (" + ids[line] + ")");
  if (done == 0 && !unused.empty()) tell_nothing_was_done(uses.empty());
  co_return boost::json::value{
      {"masterKey", keys->current().id()}, {"rewrapped", done}, {"left", left}, {"unused", std::move(unused)}};
}

}  // namespace svc::app::admin
