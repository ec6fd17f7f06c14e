#include "daemon/service/site_files.h"

const nd_site_file nd_site_files[] = {{.path = NULL}};
