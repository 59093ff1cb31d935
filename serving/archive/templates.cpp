// The list of templates.
#include "serving/archive/templates.h"

namespace profdb::serving {

std::vector<std::pair<std::string_view, std::string_view>> templates() {
  return {{"protocol.yaml", asset("protocols/default.yaml")},
          {"runspec.yaml", asset("schema/templates/runspec.yaml")},
          {"calibration.yaml", asset("schema/templates/calibration.yaml")},
          {"service.yaml", asset("schema/templates/service.yaml")},
          {"stop.yaml", asset("schema/templates/stop.yaml")},
          {"accuracy.yaml", asset("schema/templates/accuracy.yaml")},
          {"functions.yaml", asset("schema/templates/functions.yaml")},
          {"knowledge-hits.md", asset("schema/templates/knowledge-hits.md")}};
}

}  // namespace profdb::serving
