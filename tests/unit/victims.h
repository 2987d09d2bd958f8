/*
 * victims.h
 *		Functions of this very program that test_detour.c puts detours on.
 */
#ifndef LWP_UNIT_VICTIMS_H
#define LWP_UNIT_VICTIMS_H

extern int victim_scale(int x);                  /* 3 * x, counted in victim_calls */
extern int victim_sum(const int *values, int n); /* sum */
extern int victim_choose(int x, int a, int b);   /* x < 0 ? a : b */

extern volatile int victim_factor; /* 3 */
extern volatile int victim_calls;

#endif /* LWP_UNIT_VICTIMS_H */
