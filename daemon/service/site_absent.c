// In the place of the view's files, where the build has none (cmake/view.cmake).
#include "daemon/service/site_files.h"

const nd_site_file nd_site_files[] = {{.path = NULL}};
