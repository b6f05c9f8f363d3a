#include "app/admin/actions.hpp"
#include "svc/store/sealing/key_rotation.hpp"

#include <algorithm>
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

/// Prints the progress for people to standard error; the answer itself is written to standard output.
void print_progress(std::int64_t done, std::int64_t all) {
  std::cerr << "svcd: rewrapped " + std::to_string(done) + " of " + std::to_string(all) + " data keys\n"
            << std::flush;
}

std::string line_of(std::vector<std::string> const& ids, std::size_t line) {
  return "line " + std::to_string(line + 1) + " (" + ids[line] + ")";
}

/// The database does not show whether a key without data keys is a former one or a new one.
void tell_nothing_was_done(bool no_data_key, std::vector<std::string> const& ids) {
  std::string out = no_data_key ? "svcd: no project has a data key yet, so there was nothing to rewrap; the key of "
                                  "line 1 wraps future data keys\n"
                                : "svcd: every data key is wrapped by the key of line 1 already\n";
  for (std::size_t line = 1; !no_data_key && line < ids.size(); ++line)
    out += "svcd: no data key needs " + line_of(ids, line) +
           ": remove it if it is a former key; a new key must be moved to line 1\n";
  std::cerr << out;
}

/// Returns the lines whose keys wrapped data keys before this rotation. Another line may have a new key, which the
/// operator must keep, and the first one is needed by all data keys.
boost::json::array former_lines(std::vector<std::string> const& ids,
                                std::vector<store::master_key_use> const& earlier) {
  boost::json::array out;
  for (std::size_t line = 1; line < ids.size(); ++line)
    if (std::ranges::find(earlier, ids[line], &store::master_key_use::id) != earlier.end())
      out.emplace_back(line_of(ids, line));
  return out;
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
  auto const ids = keys->ids();
  if (done == 0 && ids.size() > 1) tell_nothing_was_done(uses.empty(), ids);
  co_return boost::json::value{
      {"masterKey", keys->current().id()}, {"rewrapped", done}, {"left", left}, {"unused", former_lines(ids, uses)}};
}

}  // namespace svc::app::admin
