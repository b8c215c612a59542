"""The database: its schema, migrations, connection and locks."""
