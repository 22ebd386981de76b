/* SPDX-License-Identifier: MIT */
/*
 * commands.h: the commands of the program pqt.
 *
 * The program is an ordinary user of the library: it includes only <pqt.h> and the wings.
 *
 * Sources of this folder without a header of their own: cmd_checkout.c, cmd_collide.c, cmd_demo.c,
 * cmd_diff.c, cmd_draw.c, cmd_follow.c, cmd_history.c, cmd_info.c, cmd_log.c, cmd_merge.c,
 * cmd_nearest.c, cmd_pairs.c, cmd_pull.c, cmd_push.c, cmd_ray.c, cmd_region.c, cmd_save.c,
 * cmd_search.c, cmd_show.c, cmd_simulate.c, cmd_stress.c, cmd_studio.c, main.c.
 */
#ifndef COMMANDS_H
#define COMMANDS_H

/* The commands. The first argument is the full name of the command, which its help shows. */
int info_command(int count, const char **arguments);
int search_command(int count, const char **arguments);
int nearest_command(int count, const char **arguments);
int ray_command(int count, const char **arguments);
int pairs_command(int count, const char **arguments);
int diff_command(int count, const char **arguments);
int merge_command(int count, const char **arguments);
int region_command(int count, const char **arguments);
int collide_command(int count, const char **arguments);
int history_command(int count, const char **arguments);
int save_command(int count, const char **arguments);
int log_command(int count, const char **arguments);
int show_command(int count, const char **arguments);
int checkout_command(int count, const char **arguments);
int push_command(int count, const char **arguments);
int pull_command(int count, const char **arguments);
int follow_command(int count, const char **arguments);
int draw_command(int count, const char **arguments);
int demo_command(int count, const char **arguments);
int simulate_command(int count, const char **arguments);
int stress_command(int count, const char **arguments);
int studio_command(int count, const char **arguments);

#endif
