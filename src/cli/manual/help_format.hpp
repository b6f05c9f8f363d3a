#pragma once

#include <CLI/App.hpp>
#include <CLI/FormatterFwd.hpp>

#include <string>

namespace svc::cli {

/// How `--help` writes options: the value's name, its few choices, and whether it must be given; nothing of CLI11's
/// checks and types. Below the program's own command it says where the options of all commands are.
class help_format : public CLI::Formatter {
 public:
  std::string make_option_opts(CLI::Option const* option) const override;
  std::string make_footer(CLI::App const* app) const override;
};

}  // namespace svc::cli
