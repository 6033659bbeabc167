/**
 * examples.js: the worked examples of the rules (E1 to E5), one record each: legal games up to the moment of the
 * example.
 */

const HEAD = 'pyramids-record 1\nedition classic\nplayer 1 Ana\nplayer 2 Ben\n';

export const EXAMPLES = /** @type {Record<string, string>} */ ({
    E1: `${HEAD}deal 1 47 11 44 15
deal 2 23 28 30 48
keep 1 11 47
keep 2 23 28
show 40 16 31 3
reveal I3
mark 1 11:a1b1c1
mark 2 28:b1c1d1
reveal L4
mark 1 11:b2b3c3d3
mark 2 23:c1c2d2e2
reveal I4
mark 1 11:e2e3e4e5+47:a1
mark 2 23:e3
reveal I4
mark 1 11:a5b5c5d5
mark 2 23:b4c4d4e4
draw 1 17
reveal V3
mark 1 17:a1b1b2
mark 2 23:c5
draw 2 21
reveal O4
mark 1 47:a2b2a3b3
mark 2 28:a1
reveal I2
mark 1 47:c3c4
mark 2 28:d2d3
reveal I3
mark 1 47:a5b5c5
mark 2 28:a2a3a4+28:b4
draw 1 18
points 1 orange 10
reveal I4
mark 1 17:b3c3d3e3+18:c1
mark 2 28:c4
reveal O4
mark 1 17:d4e4d5e5
mark 2 28:c5
draw 1 1
draw 2 33
points 2 green 10
reveal L4
mark 1 1:c1d1d2d3
mark 2 21:a1
reveal V3
mark 1 1:c4d4c5
mark 2 21:b1
draw 1 41
reveal I2
mark 1 41:b1b2
mark 2 21:c1
reveal I4
mark 1 41:a2a3a4a5+41:b5
mark 2 21:d1
draw 1 5
points 1 green 6
reveal V3
mark 1 18:d1e1e2
mark 2 21:e1
reveal L4
mark 1 5:a1b1b2b3
mark 2 21:b2
reveal I3
mark 1 5:a3a4a5
mark 2 21:c2
reveal I4
mark 1 5:b5c5d5e5
mark 2 21:e2
draw 1 14
reveal I2
mark 1 14:d1e1
mark 2 21:b3
reveal O4
mark 1 18:d3e3d4e4
mark 2 21:a3
reveal I4
mark 1 14:d2d3d4d5
mark 2 21:e3
reveal I4
mark 1 18:a5b5c5d5
mark 2 21:d3
draw 1 8
points 1 green 3
reveal I2
mark 1 8:c1d1
mark 2 21:d4
reveal I4
mark 1 8:b1b2b3b4
mark 2 21:c4
reveal I3
mark 1 8:c4d4e4+8:d3
mark 2 21:c5
reveal V3
mark 1 14:c1
mark 2 21:d5
reveal L4
mark 1 8:c5
mark 2 33:d1
reveal O4
mark 1 8:c2
mark 2 33:e1
`,
    E2: `${HEAD}deal 1 33 44 4 8
deal 2 13 15 18 40
keep 1 33 44
keep 2 13 15
show 5 37 23 42
reveal I3
mark 1 44:b1b2b3
mark 2 13:a1b1c1
reveal L4
mark 1 33:d1b2c2d2
mark 2 15:d1b2c2d2
reveal V3
mark 1 44:c3d3c4
mark 2 15:b3b4c4+13:d1
reveal I4
mark 1 33:a2a3a4a5
mark 2 13:d2d3d4d5+13:c5
draw 2 22
reveal I2
mark 1 44:b5c5
mark 2 22:c1d1
reveal I4
mark 1 44:a5
mark 2 22:d2d3d4d5+22:c5
draw 2 30
draw 1 47
points 2 purple 10
reveal O4
mark 1 47:a1
mark 2 30:b1c1b2c2
reveal I3
mark 1 47:a2
mark 2 30:c3c4c5
reveal V3
mark 1 47:a3
mark 2 30:e4d5e5
draw 2 39
reveal O4
mark 1 33:b5
mark 2 15:c5
draw 2 2
draw 1 46
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
