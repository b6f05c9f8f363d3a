#include "restored_database.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace svc::test {

namespace fs = std::filesystem;

namespace {

/// The lines of docs/backup.md.
std::string archiving(std::string const& spot) {
  fs::create_directory(spot + "/archive");
  fs::permissions(spot, fs::perms::all);
  fs::permissions(spot + "/archive", fs::perms::all);
  return "wal_level = replica\narchive_mode = on\narchive_command = 'test ! -f " + spot + "/archive/%f && cp %p " +
         spot + "/archive/%f'\n";
}

std::string binaries_of(private_postgres const& server) {
  return fs::read_symlink("/proc/" + std::to_string(server.pid()) + "/exe").parent_path().string() + "/";
}

}  // namespace

void run_shell(std::string const& command) {
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);  // NOLINT(cert-env33-c)
}

std::string ask_by_psql(private_postgres const& server, std::string const& url, std::string const& file,
                        std::string const& since) {
  temporary_directory const directory;
  auto const out = directory.path() + "/told";
  run_shell(binaries_of(server) + "psql -X -At -F ' ' -v ON_ERROR_STOP=1 -v since='" + since +
            "' -f " SVC_SCHEMA_DIRECTORY "/../../deploy/postgres/" + file + " '" + url + "' >" + out);
  std::ifstream input(out);
  return {std::istreambuf_iterator<char>(input), {}};
}

void make_service_database(std::string const& superuser_url, std::string const& owner_url) {
  ask_postgres(superuser_url,
               "CREATE ROLE svc_service NOLOGIN; CREATE ROLE svc_owner LOGIN; CREATE ROLE svc_app LOGIN "
               "IN ROLE svc_service");
  ask_postgres(superuser_url, "CREATE DATABASE svc OWNER svc_owner");
  service migration({"migrate"}, {"SVC_POSTGRES_MIGRATE_URL=" + owner_url});
  if (migration.wait() != 0) throw std::runtime_error(migration.err().text());
}

restored_database::restored_database(fleet& fleet) : fleet_(fleet), postgres_(archiving(directory_.path())) {
  make_service_database(url("postgres"), url("svc", "svc_owner"));
}

std::string restored_database::url(std::string const& database, std::string const& user) const {
  return "postgresql://" + user + "@/" + database + "?host=" + postgres_.directory();
}

std::vector<std::string> restored_database::environment() const {
  auto out = fleet_.environment();
  out.insert(out.begin(),
             {"SVC_POSTGRES_URL=" + url("svc", "svc_app"), "SVC_REDIS_URL=" + redis_.url(), "SVC_WORKERS=1"});
  return out;
}

std::unique_ptr<configured_service> restored_database::serve() const {
  return std::make_unique<configured_service>(fleet_.dev(),
                                              "[[listeners]]\naddress = '127.0.0.1:0'\n"
                                              "[[listeners]]\naddress = '127.0.0.1:0'\nkind = 'internal'\n",
                                              environment());
}

boost::json::object restored_database::admin(std::vector<std::string> arguments, std::string const& input) const {
  arguments.insert(arguments.begin(), "admin");
  arguments.insert(arguments.end(), {"--config", fleet_.text("configFile"), "--json"});
  if (!input.empty()) arguments.push_back(directory_.write("input", input));
  service command(arguments, environment());
  if (command.wait() != 0) throw std::runtime_error("svcd admin " + arguments[1] + ": " + command.err().text());
  return boost::json::parse(command.out().text()).as_object();
}

std::string restored_database::ask(std::string const& file, std::string const& since) const {
  return ask_by_psql(postgres_, url("svc"), file, since);
}

void restored_database::back_up() const {
  run_shell(binaries_of(postgres_) + "pg_basebackup -D " + directory_.path() + "/base -c fast -d '" +
            url("postgres") + "'");
}

void restored_database::restore(std::string const& out) {
  postgres_.stop();
  auto const data = postgres_.directory() + "/data";
  run_shell("rm -rf " + data + ".given-up && mv " + data + " " + data + ".given-up && cp -a " + directory_.path() +
            "/base " + data);
  auto const goal = out.empty() ? std::string("archive_mode = off\n")
                                : "recovery_target_time = '" + out + "'\nrecovery_target_action = 'promote'\n";
  std::ofstream(data + "/postgresql.auto.conf", std::ios::app)
      << "restore_command = 'cp " << directory_.path() << "/archive/%f %p'\n"
      << goal;
  run_shell("touch " + data + "/recovery.signal && chown -R --reference=" + data + ".given-up " + data);
  postgres_.start();
  // It answers while it still plays the archive.
  auto const give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (ask_postgres(url("postgres"), "SELECT pg_is_in_recovery()")[0][0] != "f") {
    if (std::chrono::steady_clock::now() > give_up) throw std::runtime_error("the recovery does not end");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace svc::test
