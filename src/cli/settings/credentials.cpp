#include "cli/settings/credentials.hpp"
