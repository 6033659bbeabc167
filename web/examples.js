/** examples.js: the worked examples of the rules (E1 to E5), a record each: legal games up to the moment that the example shows. */

const HEAD = 'pyramids-record 1\nedition classic\nplayer 1 Ana\nplayer 2 Ben\n';

export const EXAMPLES = /** @type {Record<string, string>} */ ({
    E1: `${HEAD}deal 1 5 27 2 4
deal 2 43 17 11 6
keep 1 5 27
keep 2 17 43
show 24 42 33 3
reveal I4
mark 1 27:a1b1c1d1
mark 2 43:e1
reveal O4
mark 1 27:b2
mark 2 43:d1
reveal V3
mark 1 5:a1b1b2
mark 2 43:d2
reveal O4
mark 1 27:b3c3b4c4
mark 2 17:a1
reveal I2
mark 1 27:a5b5
mark 2 17:b1
draw 1 32
reveal I3
mark 1 5:c1d1e1+32:d1
mark 2 17:c1
reveal L4
mark 1 5:a3b3a4a5
mark 2 17:d1
reveal L4
mark 1 32:d2d3c4d4+5:b5
mark 2 17:b2
reveal I3
mark 1 5:c5d5e5
mark 2 43:c1
draw 1 14
points 1 green 10
reveal V3
mark 1 32:b4a5b5
mark 2 17:b3
draw 1 36
reveal I2
mark 1 14:d1e1
mark 2 43:d3
reveal I4
mark 1 14:d2d3d4d5
mark 2 17:c3
reveal I4
mark 1 14:e5
mark 2 43:b1
draw 1 37
points 1 green 6
reveal O4
mark 1 37:c1d1c2d2
mark 2 43:d4
reveal I4
mark 1 37:b1
mark 2 17:d3+17:d4
reveal O4
mark 1 37:a1
mark 2 17:a3
reveal I2
mark 1 36:a1b1
mark 2 43:b2
reveal V3
mark 1 36:a2a3b3
mark 2 17:e3
reveal L4
mark 1 36:b4b5c5d5+36:e5
mark 2 43:b3
draw 1 31
reveal I4
mark 1 31:b1c1d1e1
mark 2 43:b4
reveal I3
mark 1 37:d3d4d5+37:a2
mark 2 43:a3
reveal L4
mark 1 37:a3b3b4b5
mark 2 43:a4
draw 1 13
points 1 green 3
reveal I2
mark 1 13:a1a2
mark 2 17:a4
reveal I3
mark 1 13:b1c1d1
mark 2 17:b4
reveal O4
mark 1 31:a2b2a3b3
mark 2 43:d5
reveal O4
mark 1 31:a4
mark 2 17:a5
reveal I4
mark 1 13:d2d3d4d5+13:e5
mark 2 43:a2+17:e4
reveal V3
mark 1 13:c5
mark 2 17:b5
draw 1 16
`,
    E2: `${HEAD}deal 1 7 33 14 31
deal 2 25 15 19 35
keep 1 7 33
keep 2 15 25
show 23 8 20 3
reveal L4
mark 1 33:d1b2c2d2
mark 2 25:d1e1e2e3
reveal V3
mark 1 7:a1
mark 2 15:d1c2d2
reveal I2
mark 1 7:a2a3
mark 2 25:d4e4
reveal O4
mark 1 7:a4
mark 2 25:b4c4b5c5
draw 2 6
reveal I4
mark 1 33:a2a3a4a5
mark 2 15:b1b2b3b4+6:b1
reveal I4
mark 1 7:b4+7:c4
mark 2 6:a2b2c2d2
reveal I3
mark 1 7:c5d5e5
mark 2 6:d3d4d5+15:c4
draw 2 34
draw 1 5
points 2 purple 10
reveal I3
mark 1 5:a1b1c1+5:b2
mark 2 34:c1c2c3+34:b2
reveal O4
mark 1 5:b3
mark 2 34:a2
reveal I4
mark 1 5:a3
mark 2 34:a3
reveal I2
mark 1 5:a4a5
mark 2 34:a4a5
draw 2 4
reveal L4
mark 1 33:b5
mark 2 15:c5
draw 2 17
draw 1 27
points 2 purple 6
points 1 purple 3
`,
    E3: `${HEAD}deal 1 41 9 24 40
deal 2 44 30 15 28
keep 1 9 41
keep 2 30 44
show 42 43 4 37
reveal I3
mark 1 9:c1d1e1
mark 2 44:b1b2b3
reveal I4
mark 1 9:c2c3c4c5
mark 2 44:c2c3c4c5
reveal O4
mark 1 41:b1
mark 2 30:b1c1b2c2
reveal L4
mark 1 41:a2b2a3a4+41:a5
mark 2 30:c3c4b5c5+44:b5
reveal V3
mark 1 41:b5
mark 2 44:a5
draw 1 20
draw 2 11
reveal O4
mark 1 9:d5
mark 2 30:d5
draw 1 34
draw 2 2
points 1 green 10
points 2 purple 10
`,
    E4: `${HEAD}deal 1 28 2 8 43
deal 2 14 44 47 10
keep 1 2 28
keep 2 14 44
show 34 41 31 4
reveal L4
mark 1 28:c1d1d2d3
mark 2 44:b1c1c2c3
reveal I3
mark 1 2:b1b2b3
mark 2 44:c4
reveal I2
mark 1 2:a4b4
mark 2 44:c5
reveal V3
mark 1 2:c4
mark 2 14:d1e1e2
reveal O4
mark 1 2:d4
mark 2 44:d3
reveal O4
mark 1 2:a1
mark 2 14:d2
reveal I4
mark 1 2:e2e3e4e5
mark 2 44:e3
draw 1 11
reveal I3
mark 1 11:a1b1c1
mark 2 44:e2+14:c1
`,
    E5: `${HEAD}deal 1 6 42 2 3
deal 2 4 5 7 8
keep 1 6 42
keep 2 4 5
show 9 10 11 12
reveal L4
mark 1 6:b1b2c2d2
mark 2 4:b1
`,
});
