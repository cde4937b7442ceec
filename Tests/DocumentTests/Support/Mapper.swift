import Foundation
import ProgramSupport

/// An object mapper of docs/orm.md, and how to start its programs.
struct Mapper: Sendable, CustomStringConvertible {
    let description: String
    let tool: Tool
    /// The program of docs/orm.
    let program: String
    /// Arguments that run a script with the program's classes and functions.
    let script: @Sendable (_ text: String) -> [String]

    static let sqlAlchemy = Mapper(
        description: "SQLAlchemy", tool: Tool(python, check: ["-c", "import sqlalchemy, psycopg"]),
        program: "docs/orm/orders_sqlalchemy.py"
    ) { ["-B", "-c", "import sys; sys.path.insert(0, 'docs/orm')\nfrom orders_sqlalchemy import *\n\($0)"] }

    static let django = Mapper(
        description: "Django", tool: Tool(python, check: ["-c", "import django, psycopg"]),
        program: "docs/orm/orders_django.py"
    ) { ["-B", "-c", "import sys; sys.path.insert(0, 'docs/orm')\nfrom orders_django import *\n\($0)"] }

    static let activeRecord = Mapper(
        description: "Active Record", tool: Tool("ruby", check: ["-e", "require 'active_record'; require 'pg'"]),
        program: "docs/orm/orders_active_record.rb"
    ) { ["-r", "./docs/orm/orders_active_record", "-e", $0] }

    static let all = [sqlAlchemy, django, activeRecord]

    /// What bin/test-tools.txt names is installed there.
    private static let python = Repository.url(".build-tools/bin/python").path()
}
