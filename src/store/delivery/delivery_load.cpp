#include "svc/store/delivery_store.hpp"

namespace svc::store {

bool delivery_load::has_room(uuid project, std::string_view type) const {
  auto const mine = of_project.find(project);
  return (mine == of_project.end() || mine->second < most_of_project) && (type != "email" || mails < most_mails);
}

void delivery_load::add(uuid project, std::string_view type) {
  ++of_project[project];
  if (type == "email") ++mails;
}

void delivery_load::remove(uuid project, std::string_view type) {
  if (--of_project[project] == 0) of_project.erase(project);
  if (type == "email") --mails;
}

std::vector<uuid> delivery_load::full_projects() const {
  std::vector<uuid> out;
  for (auto const& [project, count] : of_project) {
    if (count >= most_of_project) out.push_back(project);
  }
  return out;
}

}  // namespace svc::store
