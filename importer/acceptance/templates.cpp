// The list of templates.
#include "importer/acceptance/templates.h"

namespace profdb::importer::acceptance {

std::vector<std::pair<std::string_view, std::string_view>> templates() {
  return {{"protocol.yaml", asset("protocols/default.yaml")},
          {"runspec.yaml", asset("schema/serving/templates/runspec.yaml")},
          {"calibration.yaml", asset("schema/serving/templates/calibration.yaml")},
          {"service.yaml", asset("schema/serving/templates/service.yaml")},
          {"stop.yaml", asset("schema/serving/templates/stop.yaml")},
          {"accuracy.yaml", asset("schema/serving/templates/accuracy.yaml")},
          {"functions.yaml", asset("schema/serving/templates/functions.yaml")},
          {"knowledge-hits.md", asset("schema/serving/templates/knowledge-hits.md")}};
}

}  // namespace profdb::importer::acceptance
