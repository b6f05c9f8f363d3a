#pragma once

#include <sys/prctl.h>
#include <string>

namespace svc {

/// Names the calling thread for `top -H`, gdb and /proc. Linux keeps the first 15 bytes (prctl(2)).
inline void name_this_thread(std::string const& name) {
  ::prctl(PR_SET_NAME, name.c_str());
}

/// The name that the calling thread has, cut to 15 bytes.
inline std::string name_of_this_thread() {
  char name[16] = {};
  ::prctl(PR_GET_NAME, name);
  return name;
}

}  // namespace svc
