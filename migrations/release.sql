-- The release of this schema, and the oldest release whose builds work with it. Each release of Fanfare that changes a file
-- of migrations/ takes the next number; works_from follows when something is taken away that older builds use.

WITH this AS (
    INSERT INTO push.release (release, works_from) VALUES (1, 1)
        ON CONFLICT (release) DO UPDATE SET works_from = excluded.works_from
    RETURNING release
)
SELECT push_internal.refuse_older_release(t.release) FROM this t;
