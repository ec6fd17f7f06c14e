#include "tests/e2e/daemon_pair.h"

#include "tests/check.h"
#include "tests/clients/run.h"

daemon_process first, second;

void pair_start(void)
{
    daemon_options at = {.socket = temp_path("second.sock"), .no_tcp = true};
    daemon_start(&first, NULL);
    daemon_launch(&second, &at);
}

void pair_stop(void)
{
    ck_assert_int_eq(daemon_stop(&first), 0);
    ck_assert_int_eq(daemon_stop(&second), 0);
}

void push_yard(void)
{
    write_text(temp_path("yard.obj"), YARD_OBJ);
    outcome r =
        run_navctl("push", temp_path("yard.obj"), "--world", "yard", "--seed", "2,0,2", "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("edit", "--world", "yard", "--volume", "1=0,-1,3,12,20,12,26,20,26,20,20", "--link",
                   "7=1,0,1,30,0,25", "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
}
