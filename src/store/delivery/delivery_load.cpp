#include "svc/store/delivery/delivery_store.hpp"

namespace svc::store {

bool delivery_load::has_room(uuid project, std::string_view type) const {
  auto const mine = of_project.find(project);
  if (mine != of_project.end() && mine->second >= most_of_project) return false;
  return type != "email" || (!mails_full() && !had_turn.contains(project));
}

void delivery_load::add(uuid project, std::string_view type) {
  ++of_project[project];
  if (type != "email") return;
  ++mails;
  --mail_room;
  if (had_turn.size() >= most_turns) had_turn.clear();
  had_turn.insert(project);
}

void delivery_load::remove(uuid project, std::string_view type) {
  if (--of_project[project] == 0) of_project.erase(project);
  if (type == "email") --mails;
}

bool delivery_load::begin_round() {
  bool const began = !had_turn.empty();
  had_turn.clear();
  return began;
}

std::vector<uuid> delivery_load::full_projects() const {
  std::vector<uuid> out;
  for (auto const& [project, count] : of_project) {
    if (count >= most_of_project) out.push_back(project);
  }
  return out;
}

}  // namespace svc::store
