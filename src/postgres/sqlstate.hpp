#pragma once

#include <string_view>

namespace svc::postgres {

/// What a refusal of the server means for the caller and for the connection. Immutable.
struct verdict {
  bool unavailable = false;  ///< infrastructure, not input: throws `svc::unavailable`
  bool close = false;        ///< the connection must not be used again

  friend bool operator==(verdict const&, verdict const&) = default;
};

/// Total: any text is judged. An empty code comes from libpq itself, which lost the connection.
verdict judge(std::string_view sqlstate);

}  // namespace svc::postgres
